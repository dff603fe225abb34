// Generates src/schema.ts, the types of the answers, from the OpenAPI
// document. With --check it writes nothing and fails where they differ.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const document = new URL('../../openapi/openapi.yaml', import.meta.url);
const file = fileURLToPath(new URL('../src/schema.ts', import.meta.url));

const generated = astToString(await openapiTS(document))
  // Readers must bear fields that a later version adds; but as a type that
  // would make every misspelt field an unknown instead of an error.
  .replace(/ & \{\s*\[key: string\]: unknown;\s*\}/g, '');
const text = `// Generated from openapi/openapi.yaml by "npm run types". Do not edit.\n\n${generated}`;

if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
} else if (readFileSync(file, 'utf8') !== text) {
  console.error('src/schema.ts does not match openapi/openapi.yaml: run "npm run types"');
  process.exit(1);
}
