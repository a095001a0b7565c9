import type { IdentitySchema } from '../../client/api/identity-schemas.ts';
import { RequestError } from '../../client/api/request.ts';
import { type CheckedIdentity, identityChecker } from '../../client/features/import-export/check-identity.ts';
import { guessColumns } from '../../client/features/import-export/guess-columns.ts';
import type { BatchOutcome } from '../../client/features/import-export/import-run.ts';
import {
  countOutcomes,
  type ImportResult,
  type ImportRun,
  type OutcomeRuns,
  runImport,
  withOutcomes,
} from '../../client/features/import-export/import-run.ts';
import { createImportSession } from '../../client/features/import-export/import-session.ts';
import { traitColumns } from '../../client/features/import-export/portable-identity.ts';
import { schemaCheck } from '../../client/record/schema-check.ts';
import type { TraitsCheck } from '../../client/record/traits-check.ts';

export type Identity = Record<string, unknown>;

export const checkedIdentity = (index: number): CheckedIdentity => ({
  line: index + 2,
  identity: { schema_id: 'person', traits: { email: `p${index}@b.example` } },
  problems: [],
  overridable: false,
  leftOut: [],
});
export const checkedIdentities = (count: number): CheckedIdentity[] =>
  Array.from({ length: count }, (_, index) => checkedIdentity(index));
export const emailOf = (identity: Identity): string => String((identity.traits as { email: string }).email);

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

export const errorResponse = (status: number): RequestError =>
  new RequestError({ status, code: 'upstream_error', message: `status ${status}` });

/** A store in which each address is unique, as in Kratos. */
export function emptyStore() {
  const emails = new Set<string>();
  const requests: Identity[][] = [];
  return {
    emails,
    requests,
    async create(identities: readonly Identity[]): Promise<BatchOutcome[]> {
      requests.push([...identities]);
      return identities.map((identity) => {
        const email = emailOf(identity);
        if (emails.has(email)) return { outcome: 'existing', reason: 'conflict' };
        emails.add(email);
        return { outcome: 'created', id: `id of ${email}` };
      });
    },
  };
}

/** A store that needs a millisecond for each identity. */
export function hashingStore() {
  const store = emptyStore();
  let time = 0;
  return {
    ...store,
    clock: () => time,
    sizes: () => store.requests.map(({ length }) => length),
    async create(identities: readonly Identity[]) {
      time += identities.length;
      return store.create(identities);
    },
  };
}

/** Runs an import, and collects its outcomes as the page does. */
export async function runImportOf(
  identities: readonly CheckedIdentity[],
  run: Partial<ImportRun> & Pick<ImportRun, 'create'>,
  before: OutcomeRuns = [],
) {
  let outcomes = before;
  const results: ImportResult[] = [];
  const ended = await runImport({
    identities: each(identities),
    done: countOutcomes(before).all,
    onResults(next) {
      results.push(...next);
      outcomes = withOutcomes(
        outcomes,
        next.map(({ outcome }) => outcome),
      );
    },
    wait: async () => {},
    ...run,
  }).catch((error: Error) => error);
  return { ended, outcomes, results };
}

export const PERSON = {
  id: 'person',
  schema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      traits: {
        type: 'object',
        properties: {
          email: { type: 'string', format: 'email' },
          zip: { type: 'string' },
          age: { type: 'integer', minimum: 0 },
          role: { enum: ['reader', 'writer'] },
        },
        required: ['email'],
        additionalProperties: false,
      },
    },
  },
};
const LOOSE = { id: 'loose', schema: { properties: { traits: { type: 'object' } } } };

/** The check of traits without its worker. */
export const checkWithoutWorker: TraitsCheck = async (schema, traits) => {
  const check = schemaCheck(schema);
  return traits.map((text) => check(JSON.parse(text)));
};

export const personChecker = () =>
  identityChecker({ schemas: [PERSON, LOOSE], complete: true }, 'person', checkWithoutWorker);

/** Chooses a file and confirms the guessed columns. Returns what the operator sees, or why the file is rejected. */
export async function importOf(content: BlobPart, name: string, schema: IdentitySchema) {
  const known = { complete: true, schemas: [schema] };
  const reading = { known, schemaId: schema.id, traitsCheck: checkWithoutWorker };
  const session = createImportSession({ ...reading, storage: undefined, create: async () => [] });
  await session.choose(new File([content], name));
  const map = session.step();
  if (map.step === 'map') await session.change({ mapping: guessColumns(map.beginning, traitColumns(schema.schema)) });
  const step = session.step();
  return {
    header: map.step === 'map' ? map.beginning.header : undefined,
    people: step.step === 'review' ? step.inspection.first : [],
    note: session.note() ?? '',
    failure: step.step === 'choose' ? step.failure?.message : undefined,
  };
}

/** A `localStorage` without a browser. */
export function browserStorage() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
}
