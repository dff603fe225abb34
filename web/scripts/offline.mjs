// Writes sw.js beside the built page: which files it has to keep, and a
// version that follows from their content.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('..', import.meta.url));
const dist = join(web, 'dist');
const left = /(?:^|\/)\.|\.(?:br|gz)$|^sw\.js$|^licenses\.md$/;

const paths = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(dist, join(entry.parentPath, entry.name)).split(sep).join('/'))
  .filter((path) => !left.test(path))
  .sort();

const worker = readFileSync(join(web, 'sw', 'sw.js'), 'utf8');
const digest = createHash('sha256').update(worker);
for (const path of paths) digest.update(`\0${path}\0`).update(readFileSync(join(dist, path)));

const release = {
  version: digest.digest('hex').slice(0, 16),
  files: paths.map((path) => (path === 'index.html' ? './' : path)),
};
writeFileSync(join(dist, 'sw.js'), `self.release = ${JSON.stringify(release)};\n\n${worker}`);
