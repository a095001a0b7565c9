import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Recorded answers of real servers; the README.md one folder up says where they come from. */
const FOLDER = join(import.meta.dirname, '../fixtures/recordings');

export type ServiceName = 'kratos-public' | 'kratos-admin' | 'hydra-public' | 'hydra-admin';

export interface RecordedRequest {
  service: ServiceName;
  method: string;
  path: string;
  headers?: Record<string, string | null>;
  json?: unknown;
  form?: Record<string, string>;
  text?: string;
}

export interface RecordedResponse {
  status: number;
  like?: string;
  headers?: Record<string, string | string[]>;
  json?: unknown;
  list?: { length: number; first?: unknown[]; [member: string]: unknown };
  pick?: Record<string, unknown>;
  text?: string;
  textStart?: string;
  /** Of tokens in the body what stands in them, by member. */
  decoded?: Record<string, { header: unknown; payload: unknown }>;
  capture?: Record<string, string>;
}

export interface RecordedExchange {
  /** Preparation: only the status and the captured values count. */
  setup?: boolean;
  repeat?: number;
  request: RecordedRequest;
  response: RecordedResponse;
}

/** A browser on its way through the OAuth server and back to `until`. */
export interface RecordedWalk {
  browser: { start: string; until: string; login?: Record<string, string> };
  /** Of the redirect that left the server; `location` is null where a page of it was the end. */
  response: { status: number; location: string | null; text?: string };
}

export type RecordedStep = RecordedExchange | RecordedWalk;

export interface RecordedCase {
  id: string;
  title: string;
  steps: RecordedStep[];
}

/** Header sets that recorded answers refer to by name. */
export type HeaderSets = Record<string, Record<string, string | string[]>>;

const read = (name: string): unknown => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));

export const recordedCases = (group: string): RecordedCase[] => (read(group) as { cases: RecordedCase[] }).cases;

interface Meta {
  like: HeaderSets;
  /** The groups, by the mode that the servers ran in. */
  order: Record<string, string[]>;
}
const meta = (): Meta => read('meta') as Meta;

export const headerSets = (): HeaderSets => meta().like;

export const recordedGroups = (): string[] => Object.values(meta().order).flat();

/** Every recorded request of every group with its answer; walks of a browser, which are steps as well, are left out. */
export const recordedExchanges = (): RecordedExchange[] =>
  recordedGroups()
    .flatMap(recordedCases)
    .flatMap(({ steps }) => steps)
    .filter((step) => 'request' in step);
