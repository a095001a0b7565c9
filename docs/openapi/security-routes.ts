import { AUDIT_ACTIONS } from '../../shared/audit.ts';
import {
  CREDENTIALS_IDENTIFIER_MAX_CHARACTERS,
  SEARCH_IDS_MAX,
  SEARCH_MAX_CHARACTERS,
} from '../../shared/identities.ts';
import { LOCATED_SESSIONS_MAX } from '../../shared/locations.ts';
import {
  LOCKED_IDENTIFIER_MAX_CHARACTERS,
  LOCKED_IDENTIFIERS_MAX,
  OPERATOR_NAMES_MAX,
  type OperatorNames,
  type RevocationInput,
  SUBJECT_NAMES_MAX,
  type SubjectName,
  type SubjectNames,
  type UnlockInput,
} from '../../shared/security.ts';
import { PAGING } from './identities-routes.ts';
import { SESSION_FILTER } from './overview-routes.ts';
import {
  component,
  listOf,
  objectOf,
  oneOf,
  operatorId,
  orNull,
  query,
  REASON,
  type RouteEntry,
  text,
} from './route.ts';

const words = { type: 'string', maxLength: SEARCH_MAX_CHARACTERS };
const SESSION_SEARCH = [
  query('lat', { type: 'number', minimum: -90, maximum: 90 }),
  query('lng', { type: 'number', minimum: -180, maximum: 180 }),
  query('unknown', oneOf(['true']), 'Instead of `lat` and `lng`: sessions with an unknown location.'),
  query('place', words, "Each word is any part of the place's name."),
  query('device', words, 'Each word is any part of the device in words, such as `Firefox on Linux`.'),
  query('q', words, 'Of people who are found by it, as in `/api/identities/search`; leaves an audit record.'),
  query('ip', { type: 'string' }, 'IPv4 or IPv6: exactly this address of any device; leaves an audit record.'),
  ...SESSION_FILTER,
];

export const SECURITY_ROUTES: readonly RouteEntry[] = [
  {
    id: 'searchAudit',
    method: 'get',
    path: '/api/security/audit',
    who: 'audit.read',
    tag: 'Security',
    summary: 'The audit trail, newest first',
    description: 'With one `subject`, an identity, `timeline.read` is enough.',
    parameters: [
      query('action', oneOf(AUDIT_ACTIONS)),
      query('actor', text, "The operator's id."),
      query('subject', text, '`identity:…`, `setting:…`, `client:…` or `session:…`.'),
      query('from', text, 'Inclusive: a date, or a time with an offset.'),
      query('to', text, 'Exclusive.'),
      query('changes', oneOf(['true', 'false']), 'Only what changes something: no sign-ins, searches and reveals.'),
      ...PAGING,
    ],
    responses: {
      200: { description: 'The trail as it was when the first page was read.', body: component('AuditPage') },
    },
    errors: ['bad_request', 'invalid_page_size', 'invalid_page_token'],
    examples: [
      ['/api/security/audit', 200],
      ['/api/security/audit?action=unknown', 400],
      ['/api/security/audit?page_size=251', 400],
      ['/api/security/audit?page_token=made-up', 400],
    ],
  },
  {
    id: 'auditChain',
    method: 'get',
    path: '/api/security/audit/chain',
    who: 'audit.read',
    tag: 'Security',
    summary: 'Whether the audit trail is intact',
    responses: { 200: { description: 'How far it is verified.', body: component('AuditChain') } },
    examples: [['/api/security/audit/chain', 200]],
  },
  {
    id: 'posture',
    method: 'get',
    path: '/api/security/posture',
    who: 'posture.read',
    tag: 'Security',
    summary: 'How safely this deployment is set up',
    responses: { 200: { description: 'A check without evidence is `unknown`.', body: component('Posture') } },
    examples: [['/api/security/posture', 200]],
  },
  {
    id: 'operators',
    method: 'get',
    path: '/api/security/operators',
    who: 'operators.read',
    tag: 'Security',
    summary: 'Who has a role, and who signed in within ninety days',
    description: '`missing` says why others may have a role: the index does not know it.',
    responses: {
      200: { description: 'Latest sign-in first; those without one last.', body: component('OperatorList') },
    },
    examples: [['/api/security/operators', 200]],
  },
  {
    id: 'subjectNames',
    method: 'get',
    path: '/api/security/subject-names',
    who: 'identities.read',
    tag: 'Security',
    summary: 'Names of the people and clients that records are about',
    description: 'Read from their servers and cached for a minute; no audit record contains a name.',
    parameters: [
      query(
        'subject',
        { ...listOf(text), minItems: 1, maxItems: SUBJECT_NAMES_MAX },
        '`identity:…` or `client:…`. Repeated.',
      ),
    ],
    responses: {
      200: {
        description: 'In their order; null if no record is about it, it has no name, or its server does not respond.',
        body: objectOf<SubjectNames>({ names: listOf(objectOf<SubjectName>({ subject: text, name: orNull(text) })) }),
      },
    },
    errors: ['bad_request'],
    examples: [
      ['/api/security/subject-names', 400],
      ['/api/security/subject-names?subject=client%3Anone', 200],
      ['/api/security/subject-names?subject=setting%3Anone', 400],
    ],
  },
  {
    id: 'operatorNames',
    method: 'get',
    path: '/api/security/operators/names',
    who: 'operators.names',
    tag: 'Security',
    summary: 'Names of operators',
    description:
      'Read from the operators’ store and cached for a minute; those of operators by claims from the database. No audit record contains a name. A request by identifier needs `audit.read` and leaves an audit record.',
    parameters: [
      query('id', { ...listOf(operatorId), maxItems: OPERATOR_NAMES_MAX }, 'Repeated.'),
      query(
        'identifier',
        { type: 'string', minLength: 1, maxLength: CREDENTIALS_IDENTIFIER_MAX_CHARACTERS },
        'Instead of `id`: a complete sign-in identifier.',
      ),
    ],
    responses: {
      200: {
        description:
          'For ids: in their order, with nulls if the store has no name or is unavailable; for an identifier: the operators who have it.',
        body: objectOf<OperatorNames>({ names: listOf(component('OperatorName')) }),
      },
    },
    errors: ['bad_request', 'bad_gateway', 'gateway_timeout'],
    examples: [
      ['/api/security/operators/names', 400],
      ['/api/security/operators/names?id=1f0c2a9b-0000-4000-8000-000000000000', 200],
      ['/api/security/operators/names?id=nobody', 400],
    ],
  },
  {
    id: 'revokeSessions',
    method: 'post',
    path: '/api/security/revocations',
    parameters: [REASON],
    who: 'operators.write',
    tag: 'Security',
    summary: 'End every dashboard session of an operator',
    body: objectOf<RevocationInput>({ identity_id: operatorId }),
    responses: { 204: { description: 'Immediately here, within five seconds on other replicas.' } },
    errors: ['bad_request'],
    examples: [['/api/security/revocations', 400]],
  },
  {
    id: 'lockedAccounts',
    method: 'get',
    path: '/api/security/locked-accounts',
    who: 'locks.read',
    tag: 'Security',
    summary: 'Accounts locked by the login page, latest first',
    parameters: [
      query(
        'identifier',
        {
          ...listOf({ type: 'string', minLength: 1, maxLength: LOCKED_IDENTIFIER_MAX_CHARACTERS }),
          maxItems: LOCKED_IDENTIFIERS_MAX,
        },
        'Repeated: only the locks of these identifiers, in any case.',
      ),
    ],
    responses: { 200: { description: 'The accounts locked now.', body: component('LockedAccountList') } },
    errors: ['bad_request'],
    examples: [
      ['/api/security/locked-accounts', 200],
      ['/api/security/locked-accounts?identifier=ada%40example.org&identifier=ada', 200],
      ['/api/security/locked-accounts?identifier=%0A', 400],
    ],
  },
  {
    id: 'unlockAccount',
    method: 'post',
    path: '/api/security/locked-accounts/unlock',
    parameters: [REASON],
    who: 'locks.write',
    tag: 'Security',
    summary: 'Unlock an account',
    description: '60 a minute per session.',
    body: objectOf<UnlockInput>({
      identifier: { type: 'string', minLength: 1, maxLength: LOCKED_IDENTIFIER_MAX_CHARACTERS },
    }),
    responses: {
      200: {
        description: 'The account is unlocked.',
        body: objectOf<{ success: boolean }>({ success: { const: true } }),
      },
    },
    errors: ['bad_request', 'not_found', 'too_many_requests'],
    examples: [['/api/security/locked-accounts/unlock', 400]],
  },
  {
    id: 'locatedSessions',
    method: 'get',
    path: '/api/security/sessions',
    who: 'sessions.read',
    tag: 'Security',
    summary:
      'The sessions behind a circle of the map, of a device or of people: found by an index, shown as the store has them now',
    parameters: [
      ...SESSION_SEARCH,
      query('page_size', { type: 'integer', minimum: 1, maximum: LOCATED_SESSIONS_MAX, default: LOCATED_SESSIONS_MAX }),
      ...PAGING.filter(({ name }) => name === 'page_token'),
    ],
    responses: { 200: { description: 'Latest sign-in first.', body: component('LocatedSessions') } },
    errors: [
      'bad_request',
      'invalid_page_size',
      'invalid_page_token',
      'search_not_supported',
      'bad_gateway',
      'gateway_timeout',
    ],
    examples: [
      ['/api/security/sessions?lat=1', 400],
      ['/api/security/sessions?page_size=0', 400],
      ['/api/security/sessions?page_token=made-up', 400],
      ['/api/security/sessions?unknown=true', 200],
      ['/api/security/sessions?ip=203.0.113.7&active=false', 200],
      ['/api/security/sessions?ip=203.0.113.7:80', 400],
    ],
  },
  {
    id: 'locatedSessionIds',
    method: 'get',
    path: '/api/security/sessions/ids',
    who: 'sessions.read',
    tag: 'Security',
    summary: `The ids of all sessions that match, at most ${SEARCH_IDS_MAX}`,
    description: 'More than that is refused, never cut.',
    parameters: SESSION_SEARCH,
    responses: { 200: { description: 'Latest sign-in first.', body: component('SessionIds') } },
    errors: ['bad_request', 'search_not_supported', 'bad_gateway', 'gateway_timeout'],
    examples: [
      ['/api/security/sessions/ids?days=0', 400],
      ['/api/security/sessions/ids', 200],
    ],
  },
];
