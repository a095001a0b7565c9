import { isUuid } from './json.ts';

/** The kinds of records that have a page and an id of their own. */
export const RECORD_RESOURCES = ['identity', 'session', 'message', 'client'] as const;
export type RecordResource = (typeof RECORD_RESOURCES)[number];

export interface RecordReference {
  resource: RecordResource;
  /** A UUID; the id of a client may be any text. */
  id: string;
}

/** With a UUID in lower case. @returns undefined unless there are such records and one can have this id */
export function recordReference(kind: unknown, id: unknown): RecordReference | undefined {
  const resource = RECORD_RESOURCES.find((one) => one === kind);
  if (resource === undefined || typeof id !== 'string') return undefined;
  if (resource === 'client') return /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(id) ? { resource, id } : undefined;
  return isUuid(id) ? { resource, id: id.toLowerCase() } : undefined;
}

/** Of a record as `recordReference` returns it. */
export const recordKey = ({ resource, id }: RecordReference): string => `${resource}:${id}`;

/** Eight recent records and all favourites. */
export const RECORDS_MAX = 58;

/** What a list of records shows of one. Times are ISO 8601, or empty if unknown. */
export type RecordSummary =
  | { resource: 'identity'; id: string; name: string | null; identifier: string | null; state: string }
  | {
      resource: 'session';
      id: string;
      /** Of the person. */
      name: string | null;
      identity_id: string | null;
      active: boolean;
      authenticated_at: string;
      expires_at: string;
    }
  | { resource: 'message'; id: string; recipient: string; template_type: string; status: string; created_at: string }
  | { resource: 'client'; id: string; name: string | null };

/** `GET /api/records?record=identity:…&record=client:…`: each record that was named is in exactly one list. */
export interface Records {
  records: RecordSummary[];
  /** The service that has them says that they do not exist. */
  gone: RecordReference[];
  /** Not known: for example `forbidden`, `upstream_error`, `upstream_timeout`. */
  failed: (RecordReference & { error: string; message: string })[];
}
