import { DEVICE_GRANT, formatGrant, JWT_BEARER_GRANT } from './client-words.ts';

/**
 * How a member is typed and shown: `text`, `address` and `scope` are texts, `addresses`, `origins` and `lines` lists
 * with an entry on each line, `set` a list of known words, `choice` one of them, `duration` a Go duration or null.
 */
export type FieldKind =
  | 'text'
  | 'address'
  | 'scope'
  | 'addresses'
  | 'origins'
  | 'lines'
  | 'set'
  | 'choice'
  | 'flag'
  | 'json'
  | 'duration';

export interface ClientField {
  /** The member of the client. */
  name: string;
  label: string;
  about: string;
  kind: FieldKind;
  /** Of `set` and `choice`: the values and what they are called. */
  choices?: readonly (readonly [value: string, words: string])[];
}

export interface FieldGroup {
  title: string;
  about: string;
  fields: readonly ClientField[];
}

const field = (name: string, kind: FieldKind, label: string, about: string): ClientField => ({
  name,
  kind,
  label,
  about,
});

const SIGNING_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'] as const;
const DEFAULT_CHOICE = ['', "The server's default"] as const;

const lifespan = (grant: string, token: string, label: string): ClientField =>
  field(`${grant}_grant_${token}_token_lifespan`, 'duration', label, '');

/** Every member of a client that can be edited, in groups. */
export const FIELD_GROUPS: readonly FieldGroup[] = [
  {
    title: 'Application',
    about: 'What people are told about it, and who maintains it.',
    fields: [
      field('client_name', 'text', 'Name', 'Shown to people when they are asked for consent.'),
      field('owner', 'text', 'Owner', 'The team or person responsible. The list can be searched by it.'),
      field('contacts', 'lines', 'Contacts', 'Usually e-mail addresses, one on each line.'),
      field('client_uri', 'address', 'Home page', ''),
      field('logo_uri', 'address', 'Logo', 'The address of an image.'),
      field('policy_uri', 'address', 'Privacy policy', ''),
      field('tos_uri', 'address', 'Terms of service', ''),
    ],
  },
  {
    title: 'Authentication',
    about: 'How the application authenticates to the OAuth server.',
    fields: [
      {
        ...field(
          'token_endpoint_auth_method',
          'choice',
          'Authentication at the token endpoint',
          'None makes it a public client, which relies on PKCE. With a key pair no secret is ever shared.',
        ),
        choices: [
          ['client_secret_basic', 'Secret in the Authorization header (client_secret_basic)'],
          ['client_secret_post', 'Secret in the form (client_secret_post)'],
          ['private_key_jwt', 'A token signed with its private key (private_key_jwt)'],
          ['none', 'None: a public client (none)'],
        ],
      },
      {
        ...field(
          'token_endpoint_auth_signing_alg',
          'choice',
          'Signing algorithm of that token',
          'Only with a private key.',
        ),
        choices: [DEFAULT_CHOICE, ...SIGNING_ALGORITHMS.map((name) => [name, name] as const)],
      },
      field(
        'jwks_uri',
        'address',
        'Address of its public keys',
        'The OAuth server reads them there. Either this or the keys below.',
      ),
      field('jwks', 'json', 'Public keys', 'A JSON Web Key Set: {"keys": […]}. Public keys only.'),
    ],
  },
  {
    title: 'Permissions',
    about: 'Which tokens it may ask for, and in which ways.',
    fields: [
      {
        ...field('grant_types', 'set', 'Grants', 'Each is a way to get tokens: only what the application uses.'),
        choices: [
          'authorization_code',
          'refresh_token',
          'client_credentials',
          DEVICE_GRANT,
          JWT_BEARER_GRANT,
          'implicit',
        ].map((grant) => [grant, formatGrant(grant)] as const),
      },
      {
        ...field(
          'response_types',
          'set',
          'Response types',
          'The authorization code needs “code”; others are for the implicit grant.',
        ),
        choices: [
          ['code', 'code'],
          ['id_token', 'id_token'],
          ['token', 'token'],
          ['code id_token', 'code id_token'],
          ['id_token token', 'id_token token'],
        ],
      },
      field(
        'scope',
        'scope',
        'Scope',
        'Separated by spaces. The application can ask for these only; if empty, the server uses its default.',
      ),
      field('audience', 'lines', 'Audiences', 'For which APIs it may ask for access tokens, one on each line.'),
    ],
  },
  {
    title: 'Addresses',
    about: 'Where people and their browsers are sent. They must match to the letter.',
    fields: [
      field('redirect_uris', 'addresses', 'Redirect addresses', 'Where sign-ins end, one on each line, without #.'),
      field(
        'post_logout_redirect_uris',
        'addresses',
        'Addresses after logout',
        'Of the same scheme, host and port as a redirect address.',
      ),
      field(
        'allowed_cors_origins',
        'origins',
        'Origins of browsers',
        'Pages that may call the token endpoint themselves: scheme and host, no path.',
      ),
      field(
        'request_uris',
        'addresses',
        'Addresses of request objects',
        'Where the application keeps signed requests (OpenID Connect Core, 6.2).',
      ),
    ],
  },
  {
    title: 'Tokens',
    about: 'What tokens look like, and how people are named in them.',
    fields: [
      {
        ...field(
          'access_token_strategy',
          'choice',
          'Access tokens',
          'Opaque ones can be revoked at once; signed ones stay valid until they expire.',
        ),
        choices: [DEFAULT_CHOICE, ['opaque', 'Opaque'], ['jwt', 'Signed (JWT)']],
      },
      {
        ...field(
          'subject_type',
          'choice',
          'Subject',
          'Pairwise gives each application another id for the same person; the server must allow it.',
        ),
        choices: [
          DEFAULT_CHOICE,
          ['public', 'The same for all applications (public)'],
          ['pairwise', 'Another for each (pairwise)'],
        ],
      },
      field(
        'sector_identifier_uri',
        'address',
        'Sector identifier',
        'For pairwise subjects: an https address that lists the redirect addresses.',
      ),
      {
        ...field('userinfo_signed_response_alg', 'choice', 'Signature of userinfo', ''),
        choices: [DEFAULT_CHOICE, ['none', 'None: plain JSON'], ['RS256', 'RS256']],
      },
      {
        ...field('request_object_signing_alg', 'choice', 'Signature of request objects', ''),
        choices: [DEFAULT_CHOICE, ['none', 'None'], ...SIGNING_ALGORITHMS.map((name) => [name, name] as const)],
      },
    ],
  },
  {
    title: 'Consent and logout',
    about: 'What people are asked, and how the application learns that they have signed out.',
    fields: [
      field(
        'skip_consent',
        'flag',
        'Skip consent',
        'Only for your own applications: tells the consent page not to ask.',
      ),
      field('skip_logout_consent', 'flag', 'Skip the question at logout', 'Only for your own applications.'),
      field(
        'frontchannel_logout_uri',
        'address',
        'Front-channel logout',
        "Opened in the person's browser when they sign out.",
      ),
      field('frontchannel_logout_session_required', 'flag', 'Front-channel logout names issuer and session', ''),
      field(
        'backchannel_logout_uri',
        'address',
        'Back-channel logout',
        'Called by the OAuth server when they sign out.',
      ),
      field('backchannel_logout_session_required', 'flag', 'Back-channel logout names the session', ''),
    ],
  },
  {
    title: 'Lifespans',
    about: 'How long tokens live, as 15m, 1h30m or 720h. Where nothing is set, the OAuth server’s own setting applies.',
    fields: [
      lifespan('authorization_code', 'access', 'Authorization code: access token'),
      lifespan('authorization_code', 'id', 'Authorization code: id token'),
      lifespan('authorization_code', 'refresh', 'Authorization code: refresh token'),
      lifespan('refresh_token', 'access', 'Refresh token: access token'),
      lifespan('refresh_token', 'id', 'Refresh token: id token'),
      lifespan('refresh_token', 'refresh', 'Refresh token: refresh token'),
      lifespan('client_credentials', 'access', 'Client credentials: access token'),
      lifespan('device_authorization', 'access', 'Device code: access token'),
      lifespan('device_authorization', 'id', 'Device code: id token'),
      lifespan('device_authorization', 'refresh', 'Device code: refresh token'),
      lifespan('jwt_bearer', 'access', 'JWT bearer: access token'),
      lifespan('implicit', 'access', 'Implicit: access token'),
      lifespan('implicit', 'id', 'Implicit: id token'),
    ],
  },
  {
    title: 'Metadata',
    about: 'Anything you like. The OAuth server stores it and does not interpret it.',
    fields: [field('metadata', 'json', 'Metadata', 'JSON. Administrators see it, and the consent page.')],
  },
];

export const CLIENT_FIELDS: readonly ClientField[] = FIELD_GROUPS.flatMap(({ fields }) => fields);

const KINDS: ReadonlyMap<string, FieldKind> = new Map(CLIENT_FIELDS.map(({ name, kind }) => [name, kind]));

/** Undefined for a member that is not edited here by a field of its own. */
export const kindOfField = (name: string): FieldKind | undefined => KINDS.get(name);

export const isListKind = (kind: FieldKind | undefined): boolean =>
  kind === 'addresses' || kind === 'origins' || kind === 'lines' || kind === 'set';

/** At a problem or a conflict: the label, or the member's own name. */
export const fieldLabel = (name: string): string => CLIENT_FIELDS.find((known) => known.name === name)?.label ?? name;
