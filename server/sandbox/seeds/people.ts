import { socialLink } from '../identity-service/credentials.ts';
import { type Credential, type IdentityDocument, normalised } from '../identity-service/identities.ts';
import { deriveFromTraits, type IdentitySchema } from '../identity-service/schemas.ts';
import data from './demo-data.json' with { type: 'json' };
import type { Random } from './random.ts';

/**
 * Regions that people come from. A name in a non-Latin script is followed by its spelling in addresses. The networks
 * belong to well-known providers, so that geolocation finds a place; `utcOffset` is approximate, in hours.
 */
export const REGIONS = data.regions.map(({ locales, given, family, networks, ...region }) => ({
  ...region,
  locales: locales.split(' '),
  given: given.split(' '),
  family: family.split(' '),
  networks: networks.split(' '),
}));
export type Region = (typeof REGIONS)[number];

const SHARE_OF_MAIN_SCHEMA = 0.8;

/** By schema, traits that match it. */
const TRAITS: Record<string, (person: Invented, random: Random) => Record<string, unknown>> = {
  customer: ({ email, name, region }, random) => ({
    email,
    ...(random.chance(0.95) ? { name } : {}),
    // Telephone numbers that are reserved for fiction.
    ...(random.chance(0.4) ? { phone: `+1555010${String(random.below(1000)).padStart(4, '0')}` } : {}),
    locale: random.pick(region.locales),
    newsletter: random.chance(0.35),
  }),
  partner: ({ email, handle, name }, random) => ({
    email,
    username: handle,
    name,
    company: random.pick(data.companies),
    tier: random.pick(['bronze', 'silver', 'gold']),
    seats: 1 + random.below(60),
  }),
  employee: ({ email, handle, name, number }, random) => ({
    email,
    username: handle,
    name,
    department: random.pick(data.departments),
    office: random.pick(data.offices),
    employee_number: 10_000 + number,
  }),
  contractor: ({ email, name }, random) => ({
    email,
    name,
    agency: random.pick(data.agencies),
    contract_ends: contractEnd(random),
  }),
};

const contractEnd = (random: Random): string =>
  `${2026 + random.below(3)}-${String(1 + random.below(12)).padStart(2, '0')}-${String(1 + random.below(28)).padStart(2, '0')}`;

const PROVIDERS = ['google', 'google', 'apple', 'microsoft', 'github'];
const RECOVERY_CODES = 12;

/**
 * A password, social sign-ins or both, and for some people a second factor or a passkey. The passwords are random and
 * unknown.
 */
function credentialsOf(
  id: string,
  { email, handle }: Invented,
  identifiers: ReturnType<typeof deriveFromTraits>['identifiers'],
  at: string,
  random: Random,
): Record<string, Credential> {
  const credentials: Record<string, Credential> = {};
  const add = (type: string, own: string[], config: Record<string, unknown>): void => {
    credentials[type] = { type, identifiers: own, config, version: 0, created_at: at, updated_at: at };
  };
  const social = random.chance(0.24);
  const withPassword = !social || random.chance(0.35);
  add('password', identifiers.password, withPassword ? { hashed_password: hashOfNothing(random) } : {});
  for (const type of ['code', 'webauthn'] as const) if (identifiers[type].length > 0) add(type, identifiers[type], {});
  if (social) {
    const [provider, subject] = [random.pick(PROVIDERS), `${handle}-${random.bytes(6).toString('hex')}`];
    add('oidc', [`${provider}:${subject}`], { providers: [socialLink(provider, subject)] });
  }
  if (withPassword && random.chance(0.14)) add('totp', [id], { totp_url: totpUrl(email, random) });
  if (credentials.totp !== undefined && random.chance(0.6))
    add('lookup_secret', [id], { recovery_codes: recoveryCodes(at, random) });
  if (random.chance(0.04)) add('webauthn', [email], keyConfig(at, false, random));
  if (random.chance(0.03)) {
    const config = keyConfig(at, true, random);
    add('passkey', [config.user_handle], config);
  }
  return credentials;
}

const encoded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

const hashOfNothing = (random: Random): string =>
  `$scrypt$ln=16384,r=8,p=1$${encoded(random.bytes(16))}$${encoded(random.bytes(32))}`;

const BASE_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function totpUrl(email: string, random: Random): string {
  const secret = [...random.bytes(32)].map((byte) => BASE_32[byte & 31]).join('');
  return `otpauth://totp/Example:${encodeURIComponent(email)}?algorithm=SHA1&digits=6&issuer=Example&period=30&secret=${secret}`;
}

function recoveryCodes(at: string, random: Random): { code: string; used_at?: string }[] {
  const used = random.below(4);
  return Array.from({ length: RECOVERY_CODES }, (_, index) => ({
    code: random.bytes(4).toString('hex'),
    ...(index < used ? { used_at: at } : {}),
  }));
}

function keyConfig(at: string, passwordless: boolean, random: Random) {
  const key = {
    id: random.bytes(32).toString('base64'),
    public_key: random.bytes(77).toString('base64'),
    attestation_type: 'none',
    authenticator: { aaguid: 'AAAAAAAAAAAAAAAAAAAAAA==', sign_count: random.below(200), clone_warning: false },
    display_name: random.pick(data.keyNames),
    added_at: at,
    is_passwordless: passwordless,
  };
  return { credentials: [key], user_handle: random.bytes(16).toString('base64') };
}

/** A fictitious person: the identity, and the region they sign in from. */
export interface Person {
  identity: IdentityDocument;
  region: Region;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const MAIL_DOMAINS = ['example.com', 'example.com', 'example.org', 'example.net'];

/**
 * Generates people, one after the other.
 * @param schemas the first is that of most people
 * @param now milliseconds since the epoch; everyone registered before it
 */
export function* people(
  count: number,
  [main, other = main]: readonly [IdentitySchema, ...IdentitySchema[]],
  random: Random,
  now: number,
): Generator<Person> {
  const namesakes = new Map<string, number>();
  for (let number = 1; number <= count; number += 1) {
    const invented = inventName(random, namesakes, number);
    const schema = random.chance(SHARE_OF_MAIN_SCHEMA) ? main : other;
    const traits = TRAITS[schema.id]?.(invented, random) ?? {};
    yield { identity: identityOf(invented, schema, traits, random, now), region: invented.region };
  }
}

/** A person before a schema is chosen. Their handle, the local part of the email address, is unique. */
function inventName(random: Random, namesakes: Map<string, number>, number: number) {
  const region = random.pickWeighted(REGIONS);
  const [first, firstSlug] = spelled(random.pick(region.given));
  const [last, lastSlug] = spelled(random.pick(region.family));
  const plain = `${firstSlug}.${lastSlug}`;
  const namesake = (namesakes.get(plain) ?? 0) + 1;
  namesakes.set(plain, namesake);
  const handle = namesake === 1 ? plain : `${plain}${namesake}`;
  return { number, region, name: { first, last }, handle, email: `${handle}@${random.pick(MAIL_DOMAINS)}` };
}

type Invented = ReturnType<typeof inventName>;

/** A name as written, and its spelling in addresses. */
function spelled(entry: string): [string, string] {
  const [name = '', slug = name] = entry.split('|');
  const folded = slug.replace(/ł/gi, 'l').replace(/ø/gi, 'o').replace(/ı/g, 'i').replace(/đ/gi, 'd').normalize('NFD');
  return [name, normalised(folded.replace(/[^A-Za-z]/g, ''))];
}

function identityOf(
  invented: Invented,
  { id: schemaId, schema }: IdentitySchema,
  traits: Record<string, unknown>,
  random: Random,
  now: number,
): IdentityDocument {
  const { number, email, region } = invented;
  const time = (age: number) => new Date(now - age).toISOString();
  // Registrations increase over time: some within the last hour, most within the last year.
  const age = Math.floor(random.fraction() ** 1.5 * 900 * DAY_MS) + HOUR_MS / 4;
  const created = time(age);
  const inactive = random.chance(0.06);
  const verified = random.chance(0.85);
  const changed = time(Math.floor(random.fraction() * age));
  const { identifiers } = deriveFromTraits(schema, traits);
  const dates = { created_at: created, updated_at: created };
  const verification = verified
    ? { verified: true, status: 'completed' as const, verified_at: time(age - 600_000) }
    : { verified: false, status: random.chance(0.7) ? ('sent' as const) : ('pending' as const) };
  const plan = random.pick(['free', 'free', 'plus', 'pro']);
  const id = random.uuid();
  return {
    id,
    ...(random.chance(0.3) ? { external_id: `crm-${String(number).padStart(6, '0')}` } : {}),
    credentials: credentialsOf(id, invented, identifiers, created, random),
    schema_id: schemaId,
    state: inactive ? 'inactive' : 'active',
    state_changed_at: inactive ? changed : created,
    traits,
    verifiable_addresses: [{ id: random.uuid(), value: email, via: 'email', ...verification, ...dates }],
    recovery_addresses: [{ id: random.uuid(), value: email, via: 'email', ...dates }],
    metadata_public: random.chance(0.45) ? { plan, locale: random.pick(region.locales) } : null,
    metadata_admin: random.chance(0.15) ? { note: random.pick(data.notes), ticket: 1000 + random.below(9000) } : null,
    created_at: created,
    updated_at: changed,
    organization_id: null,
  };
}
