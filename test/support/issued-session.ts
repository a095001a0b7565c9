import { randomUUID } from 'node:crypto';
import { createSigner, keyBytes } from '../../server/crypto/signer.ts';
import { sessionTokens } from '../../server/session/session-token.ts';
import { TEST_KEYS } from './dashboard.ts';

/** An administrator's session, as a service with the tests' keys would have issued it. */
export function issuedSession(): { identityId: string; cookie: string } {
  const signer = createSigner(keyBytes({ current: TEST_KEYS.SESSION_SIGNING_KEY }));
  const second = Math.floor(Date.now() / 1000);
  const identityId = randomUUID();
  const token = sessionTokens(signer, 'customer', Date.now).issue({
    email: 'ada@example.com',
    role: 'admin',
    deployment: 'customer',
    epoch: 0,
    identityId,
    sessionId: randomUUID(),
    issuedAt: second,
    expiresAt: second + 3_600,
  });
  return { identityId, cookie: `Cookie: dashboard-session=${token}` };
}
