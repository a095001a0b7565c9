import type { AuditChainState, AuditPage, AuditRecord } from '../../shared/audit.ts';
import { AUDIT_ACTIONS } from '../../shared/audit.ts';
import { ROLES } from '../../shared/capabilities.ts';
import type {
  ClientStatistics,
  DayCount,
  IdentityStatistics,
  SessionStatistics,
  Statistics,
} from '../../shared/dashboard.ts';
import {
  type DashboardLayout,
  GRID_COLUMNS,
  GRID_ROWS_MAX,
  WIDGET_ID_MAX_CHARACTERS,
  WIDGETS_MAX,
  type WidgetPlacement,
} from '../../shared/dashboard.ts';
import { ERROR_CODES, type ErrorBody } from '../../shared/errors.ts';
import type { IdentityPage, IdentityTotal, ListedIdentity } from '../../shared/identities.ts';
import type { CredentialKey, IdentityCredential, IdentityCredentials } from '../../shared/identity-credentials.ts';
import type { GeoLocation, GeoResponse, MapPoint } from '../../shared/locations.ts';
import {
  LOCATED_SESSIONS_MAX,
  type LocatedSession,
  type LocatedSessions,
  type SessionIds,
  type SessionLocations,
} from '../../shared/locations.ts';
import type { ListedMessage, MessagePage } from '../../shared/messages.ts';
import {
  LOCKED_ACCOUNTS_MAX,
  type LockedAccount,
  type LockedAccountList,
  OPERATORS_MAX,
  OPERATORS_MISSING,
  type OperatorList,
  type OperatorName,
  type OperatorSummary,
  POSTURE_IDS,
  type Posture,
  type PostureCheck,
} from '../../shared/security.ts';
import type { SessionInformation } from '../../shared/session.ts';
import type { SocialConnections, SocialProvider } from '../../shared/settings.ts';
import type { Configuration } from '../../shared/upstreams.ts';
import { DEPLOYMENTS, UPSTREAM_NAMES } from '../../shared/upstreams.ts';
import { NOTES_SCHEMAS } from './identities-routes.ts';
import {
  component,
  count,
  described,
  flag,
  listOf,
  nextPage,
  objectOf,
  oneOf,
  openObject,
  operatorId,
  orNull,
  type Schema,
  text,
  time,
  uuid,
} from './route.ts';
import { SEARCH_SCHEMAS } from './search-schemas.ts';
import { SERVICE_SCHEMAS } from './service-schemas.ts';
import { SETTINGS_SCHEMAS } from './settings-schemas.ts';
import { SIGN_INS_SCHEMAS } from './sign-ins-schemas.ts';
import { VIEWS_SCHEMAS } from './views-schemas.ts';

const latitude: Schema = { type: 'number', minimum: -90, maximum: 90 };
const longitude: Schema = { type: 'number', minimum: -180, maximum: 180 };

/** The service's response bodies, by the names of their types. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  Error: objectOf<ErrorBody>(
    {
      error: described(oneOf(ERROR_CODES), 'Stable: decide by this.'),
      message: described(text, 'For people; it may change.'),
      hint: described(text, 'What may help, if anything does.'),
      redirect_to: described(text, 'Only for a used challenge: where the browser continues.'),
    },
    ['hint', 'redirect_to'],
  ),
  NotSignedIn: objectOf<{ error: string }>({ error: { const: 'Not authenticated' } }),
  Health: objectOf<{ status: string; version: string }>({ status: { const: 'ok' }, version: text }),
  SocialProvider: objectOf<SocialProvider>({ provider: text, display_name: text, enabled: { const: true } }),
  SocialConnections: objectOf<SocialConnections>({ providers: listOf(component('SocialProvider')) }),
  SessionInformation: objectOf<SessionInformation>({
    user: objectOf<SessionInformation['user']>({
      identityId: described(text, 'With an OpenID provider it may be `oidc:` and 32 hexadecimal digits.'),
      email: text,
      role: oneOf(ROLES),
    }),
  }),

  ...SETTINGS_SCHEMAS,
  Configuration: objectOf<Configuration>({
    deployment: oneOf(DEPLOYMENTS),
    version: text,
    upstreams: objectOf<Configuration['upstreams']>(
      Object.fromEntries(
        UPSTREAM_NAMES.map((name) => [
          name,
          objectOf<Configuration['upstreams']['oauth']>({ configured: flag, api_key_stored: flag }),
        ]),
      ) as Record<(typeof UPSTREAM_NAMES)[number], Schema>,
    ),
    features: objectOf<Configuration['features']>({
      sign_in: oneOf(['oauth2', 'openid']),
      operators_from: oneOf(['identity', 'email', 'claims']),
      operator_store: flag,
      operator_schemas_restricted: flag,
      proxy_require_session: oneOf(['outside', 'always', 'never']),
    }),
    session_max_age_seconds: count,
    settings_cache_ttl_seconds: count,
  }),

  Identity: objectOf<ListedIdentity>({ id: uuid, traits: openObject, state: text, created_at: time, updated_at: time }),
  IdentityPage: objectOf<IdentityPage>({ identities: listOf(component('Identity')), ...nextPage }),
  IdentityTotal: objectOf<IdentityTotal>({
    total: described(orNull(count), 'Null if the identity service does not report it.'),
    as_of: time,
  }),
  ...NOTES_SCHEMAS,
  ...SEARCH_SCHEMAS,
  IdentityCredential: objectOf<IdentityCredential>(
    {
      type: text,
      set: described(flag, 'Whether it can be used to sign in.'),
      identifiers: listOf(text),
      deletable: flag,
      keys: described(listOf(component('CredentialKey')), 'The registered keys of `webauthn` and `passkey`.'),
      created_at: orNull(time),
      updated_at: orNull(time),
    },
    ['keys'],
  ),
  CredentialKey: objectOf<CredentialKey>({
    name: described(orNull(text), 'The name given by its owner.'),
    added_at: orNull(time),
  }),
  IdentityCredentials: objectOf<IdentityCredentials>({ credentials: listOf(component('IdentityCredential')) }),
  Message: objectOf<ListedMessage>(
    {
      id: uuid,
      status: described(text, 'One of Kratos’ statuses, or one of a later version.'),
      type: text,
      recipient: text,
      template_type: text,
      send_count: { type: 'number' },
      created_at: text,
      updated_at: text,
      identity: described(
        orNull(objectOf({ id: uuid, name: orNull(text) })),
        'Whose address it is, null if unknown. Absent if the request names a recipient.',
      ),
    },
    ['identity'],
  ),
  MessagePage: objectOf<MessagePage>(
    {
      messages: listOf(component('Message')),
      ...nextPage,
      total: described(count, 'How many messages match `template`, `from` and `to`. Absent without these.'),
      newest: described(
        objectOf({ messages: count, since: text }),
        'How many messages were searched, and the time of the oldest one. Absent if there are no older ones to search.',
      ),
    },
    ['total', 'newest'],
  ),

  AuditRecord: objectOf<AuditRecord>({
    sequence: count,
    timestamp: time,
    action: oneOf(AUDIT_ACTIONS),
    actor: text,
    target: orNull(text),
    subject: orNull(text),
    details: openObject,
  }),
  AuditPage: objectOf<AuditPage>({ events: listOf(component('AuditRecord')), ...nextPage }),
  AuditChain: objectOf<AuditChainState>({
    status: oneOf(['whole', 'broken', 'checking']),
    verified_to: count,
    head: count,
    broken_at: orNull(count),
    as_of: time,
  }),
  PostureCheck: objectOf<PostureCheck>({
    id: oneOf(POSTURE_IDS),
    title: text,
    status: oneOf(['pass', 'warn', 'fail', 'unknown']),
    detail: text,
    why: text,
    action: text,
  }),
  Posture: objectOf<Posture>({ as_of: time, checks: listOf(component('PostureCheck')) }),
  Operator: objectOf<OperatorSummary>({
    identity_id: operatorId,
    role: orNull(oneOf(ROLES)),
    last_login_at: orNull(time),
    second_factor: orNull(flag),
  }),
  OperatorName: objectOf<OperatorName>({ identity_id: operatorId, name: orNull(text), email: orNull(text) }),
  OperatorList: objectOf<OperatorList>({
    operators: { ...listOf(component('Operator')), maxItems: OPERATORS_MAX },
    truncated: flag,
    missing: orNull(oneOf(OPERATORS_MISSING)),
  }),
  LockedAccount: objectOf<LockedAccount>({
    id: text,
    identifier: text,
    reason: { type: 'string', pattern: '^[a-z_]+$' },
    attempts: count,
    trigger_ip: orNull(text),
    locked_at: time,
    locked_until: orNull(time),
  }),
  LockedAccountList: objectOf<LockedAccountList>({
    data: { ...listOf(component('LockedAccount')), maxItems: LOCKED_ACCOUNTS_MAX },
    total: count,
    truncated: flag,
  }),
  LocatedSession: objectOf<LocatedSession>({
    id: text,
    identity_id: orNull(text),
    active: flag,
    authenticated_at: orNull(time),
    expires_at: orNull(time),
    ip: orNull(text),
    device: orNull(text),
    place: orNull(text),
  }),
  SessionIds: objectOf<SessionIds>({ ids: listOf(uuid), truncated: flag, as_of: time }),
  LocatedSessions: objectOf<LocatedSessions>({
    sessions: { ...listOf(component('LocatedSession')), maxItems: LOCATED_SESSIONS_MAX },
    ...nextPage,
    total: count,
    truncated: flag,
    as_of: time,
  }),

  Widget: objectOf<WidgetPlacement>({
    id: { type: 'string', minLength: 1, maxLength: WIDGET_ID_MAX_CHARACTERS },
    x: { type: 'integer', minimum: 0, maximum: GRID_COLUMNS - 1 },
    y: { type: 'integer', minimum: 0, maximum: GRID_ROWS_MAX - 1 },
    w: { type: 'integer', minimum: 1, maximum: GRID_COLUMNS },
    h: { type: 'integer', minimum: 1, maximum: GRID_ROWS_MAX },
  }),
  Layout: objectOf<DashboardLayout>({
    layout: orNull(
      objectOf<NonNullable<DashboardLayout['layout']>>({
        widgets: { ...listOf(component('Widget')), maxItems: WIDGETS_MAX },
        hidden: { ...listOf({ type: 'string', maxLength: WIDGET_ID_MAX_CHARACTERS }), maxItems: WIDGETS_MAX },
      }),
    ),
  }),
  ...VIEWS_SCHEMAS,
  DayCount: objectOf<DayCount>({ day: { type: 'string', format: 'date' }, count }),
  Statistics: objectOf<Statistics>({
    identities: orNull(
      objectOf<IdentityStatistics>({
        total: orNull(count),
        sample: count,
        complete: flag,
        verifiable: count,
        verified: count,
        by_schema: listOf(objectOf<IdentityStatistics['by_schema'][number]>({ schema_id: text, count })),
        created: listOf(component('DayCount')),
        as_of: time,
      }),
    ),
    sessions: orNull(
      objectOf<SessionStatistics>({
        sample: count,
        truncated: flag,
        since: orNull(time),
        active: count,
        sign_ins: described(listOf(component('DayCount')), 'Sessions started, of those that still exist.'),
        hours: { ...listOf(count), minItems: 24, maxItems: 24 },
        as_of: time,
      }),
    ),
    clients: orNull(
      objectOf<ClientStatistics>({
        sample: count,
        truncated: flag,
        by_grant: listOf(objectOf<ClientStatistics['by_grant'][number]>({ grant: text, count })),
        as_of: time,
      }),
    ),
  }),
  MapPoint: objectOf<MapPoint>({ lat: latitude, lng: longitude, label: text, count }),
  SessionLocations: objectOf<SessionLocations>({
    points: listOf(component('MapPoint')),
    unknown: count,
    sessions: count,
    truncated: flag,
    as_of: time,
  }),
  GeoLocation: objectOf<GeoLocation>({
    ip: text,
    found: flag,
    city: orNull(text),
    country: orNull(text),
    country_code: orNull({ type: 'string', pattern: '^[A-Z]{2}$' }),
    lat: orNull(latitude),
    lng: orNull(longitude),
  }),
  GeoResponse: objectOf<GeoResponse>({
    locations: listOf(component('GeoLocation')),
    points: listOf(component('MapPoint')),
  }),
  ...SERVICE_SCHEMAS,
  ...SIGN_INS_SCHEMAS,
};
