import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const client = fileURLToPath(new URL('../../client/', import.meta.url));

/** A dialog that confirms an act, or an act on many rows. */
const ASKS = /<ConfirmDialog\b|\bexport const ACTS\b/;
/** It offers an undo, or says before that there is none. */
const SAYS =
  /\boffer\w*Undo\w*\(|\b(?:CANNOT_BE_UNDONE|SESSIONS_STAY_ENDED|CONSENTS_STAY_REVOKED|DELETION)\b|cannot be undone/;
const code = (file: string): string =>
  readFileSync(client + file, 'utf8')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/^import\b.*?;$/gms, '');

describe('an act that asks before', () => {
  it('can be undone, or says that it cannot', () => {
    const files = readdirSync(client, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
    const asking = files.filter((file) => ASKS.test(code(file)));
    assert.ok(asking.length >= 10, asking.join(' '));
    assert.deepEqual(
      asking.filter((file) => !SAYS.test(code(file))),
      [],
      'client/ui/confirm-dialog.tsx has the words, client/ui/toasts.tsx the undo',
    );
  });
});
