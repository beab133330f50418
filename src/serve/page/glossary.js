// The glossary box: one term per line, "book = Band".

// {terms, problems}: an object of terms and translations, and a sentence about each line that is neither term nor blank.
export function readGlossary(text) {
  const terms = {}, problems = [];
  text.split('\n').forEach((line, i) => {
    if (line.trim() === '') return;
    const equals = line.indexOf('=');
    const source = line.slice(0, Math.max(equals, 0)).trim(), target = line.slice(equals + 1).trim();
    const missing = equals < 0 ? 'it has no equals sign'
      : source === '' ? 'it has no term before the equals sign'
        : target === '' ? 'it has no translation after the equals sign' : null;
    if (missing) problems.push(`Line ${i + 1} is not used: ${missing}.`);
    else terms[source] = target;
  });
  return { terms, problems };
}
