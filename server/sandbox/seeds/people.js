import { normalised } from '../identity-service/identity-document.js';
import { deriveFromTraits } from '../identity-service/schema-extension.js';
import { REGIONS } from './regions.js';
import { traitsOf } from './traits.js';

const DAY_MS = 86_400_000;
const MAIL_DOMAINS = ['example.com', 'example.com', 'example.org', 'example.net'];
const PROVIDERS = ['google', 'google', 'apple', 'microsoft', 'github'];
/**
 * Invents people, one after the other.
 * @param now milliseconds since the epoch; everyone registered before it
 */
export function* people(count, deployment, schemas, random, now) {
  const taken = new Set();
  for (let number = 1; number <= count; number += 1) {
    const invented = inventName(random, taken, number);
    const { schemaId, traits } = traitsOf(deployment, invented, random);
    const schema = schemas.find(({ id }) => id === schemaId);
    if (schema === undefined) throw new Error(`the deployment has no schema ${schemaId}`);
    yield { identity: identityOf(invented, schema, traits, random, now), region: invented.region };
  }
}
function inventName(random, taken, number) {
  const region = random.pickWeighted(REGIONS);
  const [first, firstSlug] = spelled(random.pick(region.given));
  const [last, lastSlug] = spelled(random.pick(region.family));
  const plain = `${firstSlug}.${lastSlug}`;
  let handle = plain;
  for (let twin = 2; taken.has(handle); twin += 1) handle = `${plain}${twin}`;
  taken.add(handle);
  return { number, region, first, last, handle, email: `${handle}@${random.pick(MAIL_DOMAINS)}` };
}
/** A name as it is written, and in the letters of an address. */
function spelled(entry) {
  const [name = '', slug = name] = entry.split('|');
  const folded = slug.replace(/ł/gi, 'l').replace(/ø/gi, 'o').replace(/ı/g, 'i').replace(/đ/gi, 'd').normalize('NFD');
  return [name, normalised(folded.replace(/[^A-Za-z]/g, ''))];
}
function identityOf({ number, email, region, handle }, { id: schemaId, schema }, traits, random, now) {
  const time = (age) => new Date(now - age).toISOString();
  const age = Math.floor(random.fraction() ** 1.5 * 900 * DAY_MS) + DAY_MS / 2;
  const created = time(age);
  const inactive = random.chance(0.06);
  const verified = random.chance(0.85);
  const changed = time(Math.floor(random.fraction() * age));
  const derived = deriveFromTraits(schema, traits);
  const dates = { created_at: created, updated_at: created };
  const verification = verified
    ? { verified: true, status: 'completed', verified_at: time(age - 600_000) }
    : { verified: false, status: random.chance(0.7) ? 'sent' : 'pending' };
  const plan = random.pick(['free', 'free', 'plus', 'pro']);
  return {
    id: random.uuid(),
    ...(random.chance(0.3) ? { external_id: `crm-${String(number).padStart(6, '0')}` } : {}),
    credentials: credentialsOf(derived.passwordIdentifiers, handle, created, random),
    schema_id: schemaId,
    state: inactive ? 'inactive' : 'active',
    state_changed_at: inactive ? changed : created,
    traits,
    verifiable_addresses: [{ id: random.uuid(), value: email, via: 'email', ...verification, ...dates }],
    recovery_addresses: [{ id: random.uuid(), value: email, via: 'email', ...dates }],
    metadata_public: random.chance(0.45) ? { plan, locale: random.pick(region.locales) } : null,
    metadata_admin: random.chance(0.15) ? { note: random.pick(NOTES), ticket: 1000 + random.below(9000) } : null,
    created_at: created,
    updated_at: changed,
    organization_id: null,
  };
}
const NOTES = [
  'asked for a data export',
  'called support about a lost phone',
  'moved from the old system',
  'prefers to be called',
];
/** A password, social sign-ins or both, and for some a second factor. Nobody knows the passwords. */
function credentialsOf(identifiers, handle, at, random) {
  const credential = (type, own, config) => ({
    type,
    identifiers: own,
    config,
    version: 0,
    created_at: at,
    updated_at: at,
  });
  const social = random.chance(0.24);
  const withPassword = !social || random.chance(0.35);
  const hash = `$scrypt$ln=16384,r=8,p=1$${encoded(random.bytes(16))}$${encoded(random.bytes(32))}`;
  const credentials = {
    password: credential('password', identifiers, withPassword ? { hashed_password: hash } : {}),
  };
  if (social) {
    const [provider, subject] = [random.pick(PROVIDERS), `${handle}-${random.bytes(6).toString('hex')}`];
    credentials.oidc = credential('oidc', [`${provider}:${subject}`], { providers: [{ provider, subject }] });
  }
  if (withPassword && random.chance(0.14)) credentials.totp = credential('totp', [], {});
  if (credentials.totp !== undefined && random.chance(0.6))
    credentials.lookup_secret = credential('lookup_secret', [], {});
  if (random.chance(0.04)) credentials.webauthn = credential('webauthn', [], {});
  return credentials;
}
const encoded = (bytes) => bytes.toString('base64').replace(/=+$/, '');
