// Files and folders as one bundle. Each file of several begins with a comment
// that names it.

import { t } from './texts';

export interface Opened {
  name: string;
  text: string;
  files: number;
}

/** What was given cannot be opened; the message says why, in words. */
export class FilesError extends Error {}

/** A file, and where it was found. */
export interface Found {
  path: string;
  file: File;
}

export const limits = { files: 2000, mib: 16 };

const wanted = /\.(?:ya?ml|json)$/i;

/** Makes one text of files; a single one keeps its name. */
export async function join(found: readonly Found[]): Promise<Opened> {
  const files = found.length === 1 ? found : found.filter(({ path }) => wanted.test(path));
  if (files.length === 0) throw new FilesError(t.files.nothing);
  if (files.length > limits.files) throw new FilesError(t.files.tooMany(limits.files));
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  if (size > limits.mib << 20) throw new FilesError(t.files.tooMuch(limits.mib));

  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const texts: string[] = [];
  for (const { path, file } of sorted) {
    const text = await read(path, file);
    texts.push(sorted.length === 1 ? text : `# ${oneLine(path)}\n${text.replace(/\n*$/, '\n')}`);
  }
  const name =
    sorted.length === 1 ? sorted[0]!.file.name : `${commonFolder(sorted) || 'bundle'}.yaml`;
  return { name, text: texts.join('---\n'), files: sorted.length };
}

async function read(path: string, file: File): Promise<string> {
  try {
    const bytes = await file.arrayBuffer();
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FilesError(t.files.unreadable(path));
  }
}

const oneLine = (path: string) => path.replace(/[\r\n]+/g, ' ');

/** The folder that all have in common, if there is one. */
function commonFolder(files: readonly Found[]): string {
  const [first, ...rest] = files.map(({ path }) => path.split('/')[0]!);
  return files[0]!.path.includes('/') && rest.every((folder) => folder === first) ? first! : '';
}

/** The files that were dropped, those in folders too. */
export async function dropped(data: DataTransfer): Promise<Found[]> {
  // Before anything is awaited: the list is emptied after the event.
  const items = [...data.items].filter(({ kind }) => kind === 'file');
  const entries = items.map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const found: Found[] = [];
  for (const entry of entries) {
    if (entry instanceof File) found.push({ path: entry.name, file: entry });
    else if (entry) await collect(entry, found);
  }
  return found;
}

async function collect(entry: FileSystemEntry, found: Found[]): Promise<void> {
  if (found.length > limits.files) throw new FilesError(t.files.tooMany(limits.files));
  const path = entry.fullPath.replace(/^\//, '');
  if (entry.isFile) {
    const file = await new Promise<File>((done, failed) =>
      (entry as FileSystemFileEntry).file(done, () =>
        failed(new FilesError(t.files.unreadable(path))),
      ),
    );
    // Of a folder only what is wanted counts; a single file is always read.
    if (wanted.test(path) || !path.includes('/')) found.push({ path, file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A reader gives its entries in portions, and an empty one at the end.
    const some = await new Promise<FileSystemEntry[]>((done, failed) =>
      reader.readEntries(done, () => failed(new FilesError(t.files.unreadable(path)))),
    );
    if (some.length === 0) return;
    for (const next of some) await collect(next, found);
  }
}

/** The files that were chosen in a dialog. */
export function chosen(list: FileList): Found[] {
  return [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** Gives a text to the browser to save. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken its copy by the next turn.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
