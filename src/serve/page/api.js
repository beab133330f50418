// Calls of the server. A call throws an error whose message can be shown, with the `status` of the answer.

async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { cache: 'no-store', ...options });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Error('The server does not answer. Is it still running?', { cause: error });
  }
  const body = await response.json().catch(() => null);
  if (response.ok) {
    if (body === null) throw new Error('The server did not answer with JSON.');
    return body;
  }
  const reason = typeof body?.error === 'string' ? body.error : body?.message ?? body?.error?.message;
  const message = reason?.replace(/^Invalid request: /, '') ?? `The server answered with status ${response.status}.`;
  throw Object.assign(new Error(message), { status: response.status });
}

let key = '';  // of servers that want one

export function setKey(value) {
  key = value;
}

const post = (path, body, signal) => call(path, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(key ? { ...body, api_key: key } : body),
  signal,
});

export const languages = () => call('languages');
export const models = () => call('v1/models');
export const settings = () => call('frontend/settings');
export const explain = (request, signal) => post('v1/explain', request, signal);
export const translate = (request, signal) => post('translate', request, signal);

export function translateFile(file, source, target) {
  const form = new FormData();
  if (key) form.append('api_key', key);
  form.append('file', file);
  form.append('source', source);
  form.append('target', target);
  return call('translate_file', { method: 'POST', body: form });
}
