import type { JsonObject } from '../../../../shared/json.ts';
import { DEVICE_GRANT } from '../client-words.ts';
import type { KindName } from './kind-names.ts';

/** A kind of application, and what a client for it begins with. */
export interface ClientKind {
  title: string;
  about: string;
  /** Each choice that is made for it, and why. */
  choices: readonly (readonly [choice: string, why: string])[];
  members: JsonObject;
  /** The members without which such a client is of no use: asked for first. */
  first: readonly string[];
}

const PUBLIC = [
  'No secret',
  'Code that is delivered to everybody cannot keep one. PKCE (S256) takes its place.',
] as const;
const CODE = ['Authorization code', 'Tokens never pass through the address bar.'] as const;

export const CLIENT_KINDS: Readonly<Record<KindName, ClientKind>> = {
  web: {
    title: 'Web application',
    about: 'Runs on a server of yours and signs people in.',
    choices: [
      ['A secret', 'The server can keep it; it is shown once, after creation.'],
      CODE,
      ['Refresh tokens', 'The server renews access without the person; they are issued with the scope offline_access.'],
    ],
    members: {
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'openid offline_access profile email',
    },
    first: ['client_name', 'owner', 'redirect_uris', 'post_logout_redirect_uris', 'scope'],
  },
  browser: {
    title: 'Single-page application',
    about: 'Runs in the browser alone and signs people in.',
    choices: [
      PUBLIC,
      CODE,
      ['No refresh tokens', 'Any script that runs in the page could steal one and use it for a long time.'],
    ],
    members: {
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      scope: 'openid profile email',
    },
    first: ['client_name', 'owner', 'redirect_uris', 'post_logout_redirect_uris', 'allowed_cors_origins', 'scope'],
  },
  native: {
    title: 'Native application',
    about: 'Installed on a phone or a computer and signs people in.',
    choices: [
      PUBLIC,
      CODE,
      ['Refresh tokens', 'The system keeps them for the application alone; each is good for one use.'],
      [
        'Its own redirect address',
        'A claimed https address, else a scheme such as com.example.app:/callback (RFC 8252).',
      ],
    ],
    members: {
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'openid offline_access profile email',
    },
    first: ['client_name', 'owner', 'redirect_uris', 'scope'],
  },
  machine: {
    title: 'Machine to machine',
    about: 'A service that calls an API in its own name. Nobody signs in.',
    choices: [
      ['A secret', 'The service can keep it; it is shown once, after creation. A key pair is better still.'],
      ['Client credentials only', 'No person, hence no redirects, no consent, no refresh token.'],
      ['A scope of your own', 'If empty, the OAuth server would fill in its default.'],
    ],
    members: {
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['client_credentials'],
      response_types: [],
      scope: '',
    },
    first: ['client_name', 'owner', 'scope', 'audience'],
  },
  device: {
    title: 'Device',
    about: 'A television or a command line: people sign in on another screen.',
    choices: [
      PUBLIC,
      ['Device code', 'The device shows a code, which is typed in on a phone (RFC 8628).'],
      ['Refresh tokens', 'Typing in a code again every hour would be too much to ask.'],
    ],
    members: {
      token_endpoint_auth_method: 'none',
      grant_types: [DEVICE_GRANT, 'refresh_token'],
      response_types: [],
      scope: 'openid offline_access',
    },
    first: ['client_name', 'owner', 'scope'],
  },
};
