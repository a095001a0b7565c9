import assert from 'node:assert/strict';
import { formatRecord, type ToldRecord } from '../../client/audit-view/record-sentence.ts';

const told = (action: ToldRecord['action'], details: ToldRecord['details']): string =>
  formatRecord({ action, actor: 'command-line', target: 'mail.key', subject: 'setting:mail.key', details });

describe('what happened to earlier versions of a setting, as a sentence', () => {
  for (const [sentence, action, details] of [
    ['revealed an earlier version of the setting', 'setting_decrypt', { opened: true, version: 3 }],
    [
      'tried to reveal an earlier version of the setting, which could not be decrypted:',
      'setting_decrypt',
      { opened: false, version: 3 },
    ],
    ['restored an earlier version of the setting', 'setting_restore', { version: 3 }],
    ['removed the earlier versions of the setting', 'setting_forget', { versions: 3 }],
    ['re-encrypted earlier versions of the setting', 'setting_write', { created: false, rekeyed: true, versions: 3 }],
  ] as const)
    it(sentence, () => {
      assert.equal(told(action, details), `The command line ${sentence} mail.key`);
    });
});
