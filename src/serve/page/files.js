// Files: chosen or dropped on the text, translated by the server, and offered for download.
import * as api from './api.js';
import { html } from './element.js';

const find = (id) => document.getElementById(id);

// languages() returns {from, to}; begun() is called before and failed(error) after a translation that did not work.
export function offerFiles({ languages, begun, failed }) {
  const translate = async (file) => {
    const line = find('file-result'), { from, to } = languages();
    line.hidden = false;
    line.replaceChildren(`Translating ${file.name}…`);
    begun();
    try {
      const answer = await api.translateFile(file, from, to);
      const { pathname } = new URL(answer.translatedFileUrl, location.href);
      line.replaceChildren('Translated: ',
        html('a', { href: `download_file/${pathname.split('/').pop()}`, download: true }, file.name));
    } catch (error) {
      line.hidden = true;
      failed(error);
    }
  };
  find('file').addEventListener('change', (event) => {
    if (event.target.files[0]) translate(event.target.files[0]);
    event.target.value = '';
  });
  find('source').addEventListener('dragover', (event) => event.preventDefault());
  find('source').addEventListener('drop', (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    translate(file);
  });
}
