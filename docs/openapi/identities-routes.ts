import {
  CREDENTIALS_IDENTIFIER_MAX_CHARACTERS,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  PAGE_TOKEN_MAX_CHARACTERS,
  SEARCH_IDS_MAX,
  SEARCH_MAX_CHARACTERS,
  SORTS,
} from '../../shared/identities.ts';
import { NOTE_MAX_CHARACTERS, NOTES_MAX, type Note, type Notes } from '../../shared/notes.ts';
import { MESSAGE_STATUSES, NEWEST_MESSAGES } from '../../shared/messages.ts';
import {
  component,
  type Example,
  inPath,
  listOf,
  objectOf,
  oneOf,
  operatorId,
  type Parameter,
  query,
  type RouteEntry,
  type Schema,
  uuid,
} from './route.ts';

const identifier: Schema = { type: 'string', maxLength: CREDENTIALS_IDENTIFIER_MAX_CHARACTERS };

/** The query parameters of every paged list. */
export const PAGING: readonly Parameter[] = [
  query('page_size', { type: 'integer', minimum: 1, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE_DEFAULT }),
  query(
    'page_token',
    { type: 'string', maxLength: PAGE_TOKEN_MAX_CHARACTERS },
    '`next_page_token` of the previous page.',
  ),
];

const time: Schema = { type: 'string', format: 'date-time' };
const NEWEST = `Searches the newest ${NEWEST_MESSAGES} messages that the other parameters select.`;

/** The query parameters of a search for people in the index. */
const SEARCH: readonly Parameter[] = [
  query(
    'q',
    { type: 'string', maxLength: SEARCH_MAX_CHARACTERS },
    'Each word is any part of an identifier, an address or a text trait, in any order, case and accents aside; ' +
      'of fewer than three characters the beginning of a word. If nothing matches, without the signs around it.',
  ),
  query('state', { type: 'string', enum: ['active', 'inactive'] }),
  query('schema_id', { type: 'string', maxLength: SEARCH_MAX_CHARACTERS }),
  query('verified', { type: 'string', enum: ['true', 'false'] }, 'Whether one of the addresses is verified.'),
  query('created_from', time, 'Inclusive.'),
  query('created_to', time, 'Exclusive.'),
  query('updated_from', time),
  query('updated_to', time),
  query('session_from', time, 'Of the last session that is known.'),
  query('session_to', time),
  query(
    'no_session',
    { type: 'string', enum: ['true'] },
    'No session is known; with `session_to`, none since then. Not together with `session_from`.',
  ),
];
const SEARCH_ERRORS = [
  'bad_request',
  'invalid_page_size',
  'invalid_page_token',
  'search_not_supported',
  'gateway_timeout',
] as const;

/** Examples of parameters that every search refuses. */
const refused = (path: string): Example[] =>
  ['state=gone', 'page_size=0', 'page_token=made-up'].map((query) => [`${path}?${query}`, 400]);

const noteText: Schema = { type: 'string', minLength: 1, maxLength: NOTE_MAX_CHARACTERS };
const noteBody = objectOf<{ text: string }>({ text: noteText });

export const NOTES_SCHEMAS: Readonly<Record<string, Schema>> = {
  Note: objectOf<Note>({ id: uuid, author: operatorId, text: noteText, created_at: time, updated_at: time }),
  Notes: objectOf<Notes>({ notes: { ...listOf(component('Note')), maxItems: NOTES_MAX } }),
};

export const IDENTITIES_ROUTES: readonly RouteEntry[] = [
  {
    id: 'listIdentities',
    method: 'get',
    path: '/api/identities',
    who: 'identities.read',
    tag: 'Identities',
    summary: "A page of the deployment's identities",
    description: 'Each request leaves an audit record.',
    parameters: [
      ...PAGING,
      query('credentials_identifier', identifier, 'A complete sign-in identifier.'),
      query(
        'credentials_identifier_prefix',
        identifier,
        'A prefix of an identifier; not together with a complete one.',
      ),
    ],
    responses: { 200: { description: 'Empty if nobody matches.', body: component('IdentityPage') } },
    errors: [
      'bad_request',
      'invalid_page_size',
      'invalid_page_token',
      'invalid_credentials_identifier',
      'search_not_supported',
      'bad_gateway',
      'gateway_timeout',
    ],
    examples: [
      ['/api/identities', 200],
      ['/api/identities?page_size=0', 400],
      ['/api/identities?page_token=made-up', 400],
      ['/api/identities?credentials_identifier=%00', 400],
      ['/api/identities?credentials_identifier=a&credentials_identifier_prefix=a', 400],
    ],
  },
  {
    id: 'searchIdentities',
    method: 'get',
    path: '/api/identities/search',
    who: 'identities.read',
    tag: 'Identities',
    summary: 'Identities that match, in any order: found by an index, shown as the store has them now',
    description: 'Each request leaves an audit record.',
    parameters: [
      ...SEARCH,
      query('sort', { type: 'string', enum: [...SORTS], default: 'created' }),
      query('order', { type: 'string', enum: ['asc', 'desc'], default: 'desc' }),
      query('refresh', { type: 'string', enum: ['true'] }, 'Reads the newest people first, for two seconds at most.'),
      ...PAGING,
    ],
    responses: { 200: { description: 'Empty if nobody matches.', body: component('IdentitySearchPage') } },
    errors: [...SEARCH_ERRORS, 'bad_gateway'],
    examples: [['/api/identities/search?q=a', 200], ...refused('/api/identities/search')],
  },
  {
    id: 'searchIdentityIds',
    method: 'get',
    path: '/api/identities/search/ids',
    who: 'identities.read',
    tag: 'Identities',
    summary: `The ids of all identities that match, at most ${SEARCH_IDS_MAX}`,
    description: 'Each request leaves an audit record. More than that is refused, never cut.',
    parameters: SEARCH,
    responses: { 200: { description: 'In the order of the ids.', body: component('IdentitySearchIds') } },
    errors: [...SEARCH_ERRORS],
    examples: [['/api/identities/search/ids?state=inactive', 200], ...refused('/api/identities/search/ids')],
  },
  {
    id: 'countMatchingIdentities',
    method: 'get',
    path: '/api/identities/search/count',
    who: 'identities.read',
    tag: 'Identities',
    summary: 'How many identities match',
    description: 'Names nobody, and leaves no audit record.',
    parameters: SEARCH,
    responses: { 200: { description: 'The count.', body: component('IdentityCount') } },
    errors: [...SEARCH_ERRORS],
    examples: [['/api/identities/search/count?verified=false', 200], ...refused('/api/identities/search/count')],
  },
  {
    id: 'countIdentities',
    method: 'get',
    path: '/api/identities/total',
    who: 'identities.read',
    tag: 'Identities',
    summary: 'How many identities there are',
    description: 'Counted at most once a minute, and again after a change made through this service.',
    responses: { 200: { description: 'The count.', body: component('IdentityTotal') } },
    errors: ['bad_gateway', 'gateway_timeout'],
    examples: [['/api/identities/total', 200]],
  },
  {
    id: 'identityCredentials',
    method: 'get',
    path: '/api/identities/{id}/credentials',
    who: 'identities.read',
    tag: 'Identities',
    summary: 'How an identity can sign in, without anything secret',
    parameters: [inPath('id', uuid)],
    responses: { 200: { description: 'By type.', body: component('IdentityCredentials') } },
    errors: ['not_found', 'bad_gateway', 'gateway_timeout'],
    examples: [['/api/identities/absent/credentials', 404]],
  },
  {
    id: 'startRecovery',
    method: 'post',
    path: '/api/identities/{id}/recovery',
    who: 'identities.recover',
    tag: 'Identities',
    summary: 'Have the identity service mail somebody a link to recover their account',
    description:
      'Three an hour for a person, 30 for an operator, on all replicas together. Leaves an audit record. Not for operators’ accounts.',
    parameters: [inPath('id', uuid)],
    body: objectOf<{ recovery_address_id: string }>({ recovery_address_id: uuid }),
    responses: { 202: { description: 'The message is in the queue.', body: objectOf<object>({}) } },
    errors: [
      'bad_request',
      'not_found',
      'inactive',
      'too_many_requests',
      'upstream_error',
      'bad_gateway',
      'gateway_timeout',
    ],
    examples: [['/api/identities/absent/recovery', 400]],
  },
  {
    id: 'listNotes',
    method: 'get',
    path: '/api/identities/{id}/notes',
    who: 'notes.read',
    tag: 'Identities',
    summary: 'The notes of operators on a person, newest first',
    parameters: [inPath('id', uuid)],
    responses: { 200: { description: 'Empty also for an unknown identity.', body: component('Notes') } },
    errors: ['not_found'],
    examples: [['/api/identities/absent/notes', 404]],
  },
  {
    id: 'addNote',
    method: 'post',
    path: '/api/identities/{id}/notes',
    who: 'notes.write',
    tag: 'Identities',
    summary: `Add a note on a person, who can have ${NOTES_MAX}`,
    description: 'Leaves an audit record without the text.',
    parameters: [inPath('id', uuid)],
    body: noteBody,
    responses: { 201: { description: 'The note.', body: component('Note') } },
    errors: ['bad_request', 'not_found', 'bad_gateway', 'gateway_timeout'],
    examples: [['/api/identities/absent/notes', 404]],
  },
  {
    id: 'changeNote',
    method: 'put',
    path: '/api/identities/{id}/notes/{note}',
    who: 'notes.write',
    tag: 'Identities',
    summary: 'Change the text of a note, as its author',
    description: 'Leaves an audit record without the text. Of two changes, the last one counts.',
    parameters: [inPath('id', uuid), inPath('note', uuid)],
    body: noteBody,
    responses: { 200: { description: 'The note.', body: component('Note') } },
    errors: ['bad_request', 'not_found'],
    examples: [['/api/identities/absent/notes/absent', 404]],
  },
  {
    id: 'deleteNote',
    method: 'delete',
    path: '/api/identities/{id}/notes/{note}',
    who: 'notes.write',
    tag: 'Identities',
    summary: 'Delete a note, as its author or as an administrator',
    description: 'Leaves an audit record.',
    parameters: [inPath('id', uuid), inPath('note', uuid)],
    responses: { 204: { description: 'It is deleted.' } },
    errors: ['not_found'],
    examples: [['/api/identities/absent/notes/absent', 404]],
  },
  {
    id: 'listMessages',
    method: 'get',
    path: '/api/messages',
    who: 'messages.read',
    tag: 'Messages',
    summary: 'A page of the messages to people, without subjects and bodies',
    description: 'A request with `recipient` leaves an audit record.',
    parameters: [
      query('status', oneOf(MESSAGE_STATUSES)),
      query('recipient', { type: 'string', maxLength: SEARCH_MAX_CHARACTERS }, 'The whole address, in its case.'),
      query('template', { type: 'string', maxLength: SEARCH_MAX_CHARACTERS }, NEWEST),
      query('from', time, `Inclusive. ${NEWEST}`),
      query('to', time, `Exclusive. ${NEWEST}`),
      ...PAGING,
    ],
    responses: { 200: { description: 'Newest first.', body: component('MessagePage') } },
    errors: ['bad_request', 'invalid_page_size', 'invalid_page_token', 'bad_gateway', 'gateway_timeout'],
    examples: [
      ['/api/messages?recipient=nobody%40example.org', 200],
      ['/api/messages?status=gone', 400],
      ['/api/messages?template=recovery_valid&from=2026-01-31', 200],
      ['/api/messages?page_size=0', 400],
      ['/api/messages?page_token=made-up', 400],
    ],
  },
  {
    id: 'message',
    method: 'get',
    path: '/api/messages/{id}',
    who: 'messages.read',
    tag: 'Messages',
    summary: 'One message, without subject and body',
    parameters: [inPath('id', uuid)],
    responses: { 200: { description: 'The message.', body: component('Message') } },
    errors: ['not_found', 'bad_gateway', 'gateway_timeout'],
    examples: [['/api/messages/absent', 404]],
  },
];
