import { DEVICE_GRANT, formatGrant, JWT_BEARER_GRANT } from '../../lib/labels.ts';

/** How a member is edited and displayed. */
type FieldKind =
  // A string.
  | 'text'
  | 'address'
  | 'scope'
  // A list with one entry per line.
  | 'addresses'
  | 'origins'
  | 'lines'
  // Any number of the choices, or exactly one.
  | 'set'
  | 'choice'
  | 'flag'
  | 'json'
  // A Go duration or null.
  | 'duration';

export interface ClientField {
  /** The member's name in the client's JSON. */
  name: string;
  label: string;
  about: string;
  kind: FieldKind;
  /** Values and labels for `set` and `choice`. */
  choices: readonly (readonly [value: string, label: string])[];
}

const field = (
  name: string,
  kind: FieldKind,
  label: string,
  about = '',
  choices: ClientField['choices'] = [],
): ClientField => ({ name, kind, label, about, choices });

const lifespans = (grant: string, label: string, ...tokens: string[]): ClientField[] =>
  tokens.map((token) => field(`${grant}_grant_${token}_token_lifespan`, 'duration', `${label}: ${token} token`));

/** Choices that are labelled by their values. */
const sameLabels = (values: readonly string[]) => values.map((value) => [value, value] as const);
const DEFAULT_CHOICE = ['', "The server's default"] as const;
const SIGNING_ALGORITHMS = sameLabels('RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512'.split(' '));

/** All editable members of a client, in groups. */
export const FIELD_GROUPS: readonly { title: string; about: string; fields: readonly ClientField[] }[] = [
  {
    title: 'Application',
    about: 'What people see, and who maintains it.',
    fields: [
      field('client_name', 'text', 'Name', 'Shown to people on the consent page.'),
      field('owner', 'text', 'Owner', 'The team or person responsible. You can search the list by owner.'),
      field('contacts', 'lines', 'Contacts', 'Usually e-mail addresses, one per line.'),
      field('client_uri', 'address', 'Home page'),
      field('logo_uri', 'address', 'Logo', 'The address of an image.'),
      field('policy_uri', 'address', 'Privacy policy'),
      field('tos_uri', 'address', 'Terms of service'),
    ],
  },
  {
    title: 'Authentication',
    about: 'How the application authenticates to the OAuth server.',
    fields: [
      field(
        'token_endpoint_auth_method',
        'choice',
        'Authentication at the token endpoint',
        '“None” makes this a public client, which relies on PKCE. With a key pair, no secret is ever shared.',
        [
          ['client_secret_basic', 'Secret in the Authorization header (client_secret_basic)'],
          ['client_secret_post', 'Secret in the form (client_secret_post)'],
          ['private_key_jwt', 'A token signed with a private key (private_key_jwt)'],
          ['none', 'None: a public client (none)'],
        ],
      ),
      field(
        'token_endpoint_auth_signing_alg',
        'choice',
        'Signing algorithm for authentication',
        'Only for authentication with a private key.',
        [DEFAULT_CHOICE, ...SIGNING_ALGORITHMS],
      ),
      field(
        'jwks_uri',
        'address',
        'Address of the public keys',
        'The OAuth server loads the keys from there. Alternatively, leave this empty and enter the keys below.',
      ),
      field('jwks', 'json', 'Public keys', 'A JSON Web Key Set: {"keys": […]}. Public keys only.'),
    ],
  },
  {
    title: 'Permissions',
    about: 'Which tokens the application may request, and how.',
    fields: [
      field(
        'grant_types',
        'set',
        'Grants',
        'Ways to get tokens. Select only those that the application uses.',
        ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_GRANT, JWT_BEARER_GRANT, 'implicit'].map(
          (grant) => [grant, formatGrant(grant)] as const,
        ),
      ),
      field(
        'response_types',
        'set',
        'Response types',
        'The authorization code grant needs “code”; the others are for the implicit grant.',
        sameLabels(['code', 'id_token', 'token', 'code id_token', 'id_token token']),
      ),
      field(
        'scope',
        'scope',
        'Scope',
        'What the application may request, separated by spaces. If empty, the server decides.',
      ),
      field(
        'audience',
        'lines',
        'Audiences',
        'APIs for which the application may request access tokens, one per line.',
      ),
    ],
  },
  {
    title: 'Addresses',
    about: 'Addresses that the OAuth server accepts from this application. They must match exactly.',
    fields: [
      field('redirect_uris', 'addresses', 'Redirect addresses', 'Where people return after sign-in, one per line.'),
      field(
        'post_logout_redirect_uris',
        'addresses',
        'Addresses after logout',
        'Each must have the scheme, host and port of a redirect address.',
      ),
      field(
        'allowed_cors_origins',
        'origins',
        'Allowed browser origins',
        'Origins of pages that may call the token endpoint.',
      ),
      field('request_uris', 'addresses', 'Request object addresses', 'Where the application hosts signed requests.'),
    ],
  },
  {
    title: 'Tokens',
    about: 'The format of tokens, and how they identify people.',
    fields: [
      field(
        'access_token_strategy',
        'choice',
        'Access tokens',
        'Opaque tokens can be revoked at once; signed ones stay valid until they expire.',
        [DEFAULT_CHOICE, ['opaque', 'Opaque'], ['jwt', 'Signed (JWT)']],
      ),
      field(
        'subject_type',
        'choice',
        'Subject',
        '“Pairwise” gives each application a different ID for the same person; the server must allow it.',
        [
          DEFAULT_CHOICE,
          ['public', 'The same for all applications (public)'],
          ['pairwise', 'Different for each application (pairwise)'],
        ],
      ),
      field(
        'sector_identifier_uri',
        'address',
        'Sector identifier',
        'For pairwise subjects: the address of a list of all redirect addresses.',
      ),
      field('userinfo_signed_response_alg', 'choice', 'Userinfo signature', '', [
        DEFAULT_CHOICE,
        ['none', 'None: plain JSON'],
        ['RS256', 'RS256'],
      ]),
      field('request_object_signing_alg', 'choice', 'Request object signature', '', [
        DEFAULT_CHOICE,
        ['none', 'None'],
        ...SIGNING_ALGORITHMS,
      ]),
    ],
  },
  {
    title: 'Consent and logout',
    about: 'What people are asked, and how the application learns that they have signed out.',
    fields: [
      field('skip_consent', 'flag', 'Skip consent', 'Only for your own applications: the consent page does not ask.'),
      field('skip_logout_consent', 'flag', 'Skip the logout confirmation', 'Only for your own applications.'),
      field('frontchannel_logout_uri', 'address', 'Front-channel logout', "Opened in the person's browser at logout."),
      field('frontchannel_logout_session_required', 'flag', 'Front-channel logout includes issuer and session'),
      field('backchannel_logout_uri', 'address', 'Back-channel logout', 'Called by the OAuth server at logout.'),
      field('backchannel_logout_session_required', 'flag', 'Back-channel logout includes the session'),
    ],
  },
  {
    title: 'Lifespans',
    about: 'How long tokens are valid, such as 15m, 1h30m or 720h. If empty, the OAuth server’s default applies.',
    fields: [
      ...lifespans('authorization_code', 'Authorization code', 'access', 'id', 'refresh'),
      ...lifespans('refresh_token', 'Refresh token', 'access', 'id', 'refresh'),
      ...lifespans('client_credentials', 'Client credentials', 'access'),
      ...lifespans('device_authorization', 'Device code', 'access', 'id', 'refresh'),
      ...lifespans('jwt_bearer', 'JWT bearer', 'access'),
      ...lifespans('implicit', 'Implicit', 'access', 'id'),
    ],
  },
  {
    title: 'Metadata',
    about: 'Any JSON. The OAuth server stores it without interpreting it.',
    fields: [field('metadata', 'json', 'Metadata', 'Visible to administrators and the consent page.')],
  },
];

export const CLIENT_FIELDS: readonly ClientField[] = FIELD_GROUPS.flatMap(({ fields }) => fields);

const fieldOf = (name: string): ClientField | undefined => CLIENT_FIELDS.find((field) => field.name === name);

/** Undefined for a member without a field. */
export const kindOfField = (name: string): FieldKind | undefined => fieldOf(name)?.kind;

/** The field's label, or the member's name if there is no field. */
export const fieldLabel = (name: string): string => fieldOf(name)?.label ?? name;

export const isListKind = (kind: FieldKind | undefined): boolean =>
  kind === 'addresses' || kind === 'origins' || kind === 'lines' || kind === 'set';
