import { generateKeyPairSync, randomBytes } from 'node:crypto';
export function installationOf(database) {
  const read = database.prepare('SELECT value FROM installation WHERE name = ?');
  const write = database.prepare('INSERT INTO installation (name, value) VALUES (?, ?)');
  const once = (name, make) => {
    const stored = read.get(name);
    if (stored !== undefined) return stored.value;
    const made = make();
    write.run(name, made);
    return made;
  };
  const secret = () => randomBytes(32).toString('base64url');
  return {
    signingKey: JSON.parse(once('signing-key', newSigningKey)),
    cookieSecret: once('cookie-secret', secret),
    pageTokenSecret: once('page-token-secret', secret),
  };
}
function newSigningKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return JSON.stringify({
    ...privateKey.export({ format: 'jwk' }),
    use: 'sig',
    alg: 'RS256',
    kid: randomBytes(8).toString('hex'),
  });
}
