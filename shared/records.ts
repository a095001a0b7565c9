import { isUuid } from './json.ts';

/** The kinds of records that have a page and an id of their own. */
export const RECORD_RESOURCES = ['identity', 'session', 'message', 'client'] as const;
export type RecordResource = (typeof RECORD_RESOURCES)[number];

export interface RecordReference {
  resource: RecordResource;
  /** A UUID; the id of a client may be any text. */
  id: string;
}

/** Ids of clients are compared exactly, UUIDs ignore case. */
export const recordKey = ({ resource, id }: RecordReference): string =>
  `${resource}:${resource === 'client' ? id : id.toLowerCase()}`;

/** Whether a record can have this id. */
export const isRecordId = (resource: RecordResource, id: string): boolean =>
  resource === 'client'
    ? id !== '' && id.length <= RECORD_ID_MAX_CHARACTERS && id.isWellFormed() && !/\p{Cc}/u.test(id)
    : isUuid(id);

const RECORD_ID_MAX_CHARACTERS = 255;

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
