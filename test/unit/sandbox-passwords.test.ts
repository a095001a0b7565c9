import assert from 'node:assert/strict';
import { hashPassword, verifyPassword } from '../../server/sandbox/passwords.ts';

const COSTLIER = '$scrypt$ln=16384,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$0LupyHkzAIgDr9UDsriAAf87vMbCbcaUfDvFOAHk0D0';

describe('a password in the sandbox', () => {
  it('is right against its own hash alone', async () => {
    const hash = await hashPassword('correct horse');
    assert.equal(await verifyPassword('correct horse', hash), true);
    assert.equal(await verifyPassword('correct horsf', hash), false);
    assert.equal(await verifyPassword('correct horse', await hashPassword('another')), false);
    assert.equal(await verifyPassword('', undefined), false);
  });

  it('is right against a hash of another cost, as imports have it', async () => {
    assert.equal(await verifyPassword('correct horse', COSTLIER), true);
    assert.equal(await verifyPassword('another', COSTLIER), false);
  });

  for (const hash of [
    COSTLIER.replace('ln=16384', 'ln=1073741824'),
    COSTLIER.replace('ln=16384,r=8,p=1', 'nothing'),
    '$2a$08$abcdefghijklmnopqrstuv',
    '',
  ])
    it(`is wrong against ${hash.slice(0, 40) || 'nothing'}`, async () =>
      assert.equal(await verifyPassword('correct horse', hash), false));
});
