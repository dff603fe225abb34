// Writes the page to which findings link beside the built page, as the server
// shows it.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

execFileSync('go', ['run', './rulebook/write', 'web/dist'], {
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
  stdio: 'inherit',
});
