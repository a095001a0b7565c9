import type { Deployment } from '../../../shared/deployment.ts';
import type { IdentityDocument } from '../identity-service/identities/identity-document.ts';
import { normalised } from '../identity-service/identities/identity-document.ts';
import { deriveFromTraits, type IdentitySchema } from '../identity-service/identities/schema-extension.ts';
import { credentialsOf } from './credentials.ts';
import type { Random } from './random.ts';
import { REGIONS, type Region } from './regions.ts';
import { type Invented, traitsOf } from './traits.ts';

/** A fictitious person: the identity, and the region they sign in from. */
export interface Person {
  identity: IdentityDocument;
  region: Region;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MAIL_DOMAINS = ['example.com', 'example.com', 'example.org', 'example.net'];

/** Generates people, one after the other. @param now milliseconds since the epoch; everyone registered before it */
export function* people(
  count: number,
  deployment: Deployment,
  schemas: readonly IdentitySchema[],
  random: Random,
  now: number,
): Generator<Person> {
  const namesakes = new Map<string, number>();
  for (let number = 1; number <= count; number += 1) {
    const invented = inventName(random, namesakes, number);
    const { schemaId, traits } = traitsOf(deployment, invented, random);
    const schema = schemas.find(({ id }) => id === schemaId);
    if (schema === undefined) throw new Error(`the deployment has no schema ${schemaId}`);
    yield { identity: identityOf(invented, schema, traits, random, now), region: invented.region };
  }
}

function inventName(random: Random, namesakes: Map<string, number>, number: number): Invented {
  const region = random.pickWeighted(REGIONS);
  const [first, firstSlug] = spelled(random.pick(region.given));
  const [last, lastSlug] = spelled(random.pick(region.family));
  const plain = `${firstSlug}.${lastSlug}`;
  const namesake = (namesakes.get(plain) ?? 0) + 1;
  namesakes.set(plain, namesake);
  const handle = namesake === 1 ? plain : `${plain}${namesake}`;
  return { number, region, first, last, handle, email: `${handle}@${random.pick(MAIL_DOMAINS)}` };
}

/** A name as written, and its spelling in addresses. */
function spelled(entry: string): [string, string] {
  const [name = '', slug = name] = entry.split('|');
  const folded = slug.replace(/ł/gi, 'l').replace(/ø/gi, 'o').replace(/ı/g, 'i').replace(/đ/gi, 'd').normalize('NFD');
  return [name, normalised(folded.replace(/[^A-Za-z]/g, ''))];
}

function identityOf(
  { number, email, region, handle }: Invented,
  { id: schemaId, schema }: IdentitySchema,
  traits: Record<string, unknown>,
  random: Random,
  now: number,
): IdentityDocument {
  const time = (age: number) => new Date(now - age).toISOString();
  // Registrations increase over time: some within the last hour, most within the last year.
  const age = Math.floor(random.fraction() ** 1.5 * 900 * DAY_MS) + HOUR_MS / 4;
  const created = time(age);
  const inactive = random.chance(0.06);
  const verified = random.chance(0.85);
  const changed = time(Math.floor(random.fraction() * age));
  const derived = deriveFromTraits(schema, traits);
  const dates = { created_at: created, updated_at: created };
  const verification = verified
    ? { verified: true, status: 'completed' as const, verified_at: time(age - 600_000) }
    : { verified: false, status: random.chance(0.7) ? ('sent' as const) : ('pending' as const) };
  const plan = random.pick(['free', 'free', 'plus', 'pro']);
  const id = random.uuid();
  return {
    id,
    ...(random.chance(0.3) ? { external_id: `crm-${String(number).padStart(6, '0')}` } : {}),
    credentials: credentialsOf({ id, email, handle, identifiers: derived.identifiers, at: created }, random),
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
