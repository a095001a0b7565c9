import type { Deployment } from '../../../shared/deployment.ts';
import type { Random } from './random.ts';
import type { Region } from './regions.ts';

/** A person before a schema is chosen. */
export interface Invented {
  /** Counts from 1. */
  number: number;
  region: Region;
  first: string;
  last: string;
  /** The local part of the email address; unique. */
  handle: string;
  email: string;
}

const COMPANIES = [
  'Northwind Traders',
  'Contoso Logistics',
  'Fabrikam Robotics',
  'Blue Fjord Energy',
  'Baobab Foods',
  'Sakura Print',
  'Andes Optics',
  'Lumen & Söhne',
];
const DEPARTMENTS = [
  'Engineering',
  'Finance',
  'People',
  'Legal',
  'Sales',
  'Support',
  'Marketing',
  'Operations',
  'Security',
  'Design',
];
const OFFICES = ['Berlin', 'Lagos', 'São Paulo', 'Singapore', 'Toronto', 'Austin', 'Lisbon', 'Tokyo', 'Remote'];
const AGENCIES = ['Brightside Staffing', 'Kiwi & Partners', 'Meridian Consulting', 'Atlas Field Services'];
const SHARE_OF_MAIN_SCHEMA = 0.8;

/** A schema of the deployment for the person, and traits that match it. */
export function traitsOf(
  deployment: Deployment,
  person: Invented,
  random: Random,
): { schemaId: string; traits: Record<string, unknown> } {
  const { email, handle, first, last, number, region } = person;
  const name = { first, last };
  const main = random.chance(SHARE_OF_MAIN_SCHEMA);
  if (deployment === 'workforce')
    return main
      ? {
          schemaId: 'employee',
          traits: {
            email,
            username: handle,
            name,
            department: random.pick(DEPARTMENTS),
            office: random.pick(OFFICES),
            employee_number: 10_000 + number,
          },
        }
      : {
          schemaId: 'contractor',
          traits: { email, name, agency: random.pick(AGENCIES), contract_ends: contractEnd(random) },
        };
  if (!main) {
    const seats = { seats: 1 + random.below(60) };
    return {
      schemaId: 'partner',
      traits: {
        email,
        username: handle,
        name,
        company: random.pick(COMPANIES),
        tier: random.pick(['bronze', 'silver', 'gold']),
        ...seats,
      },
    };
  }
  return {
    schemaId: 'customer',
    traits: {
      email,
      ...(random.chance(0.95) ? { name } : {}),
      // Numbers reserved for fiction.
      ...(random.chance(0.4) ? { phone: `+1555010${String(random.below(1000)).padStart(4, '0')}` } : {}),
      locale: random.pick(region.locales),
      newsletter: random.chance(0.35),
    },
  };
}

const contractEnd = (random: Random): string =>
  `${2026 + random.below(3)}-${String(1 + random.below(12)).padStart(2, '0')}-${String(1 + random.below(28)).padStart(2, '0')}`;
