import { type JsonObject, membersOf, text, texts } from '../../../shared/json.ts';
import { asClient, type OauthClient } from '../../api/oauth-clients.ts';
import { isInDoubt, oauthAdmin, reworded, send } from '../../api/request.ts';
import { exactBody } from '../../lib/json.ts';
import { DEVICE_GRANT } from '../../lib/labels.ts';
import { sameJson } from '../../record/member-changes.ts';
import { documentOf } from './client-draft.ts';
import type { KindName } from './client-resource.ts';

export interface ClientKind {
  title: string;
  about: string;
  /** The preset choices, each with its reason. */
  choices: readonly (readonly [choice: string, why: string])[];
  members: JsonObject;
  /** The members that matter most for this kind. The form shows their fields first. */
  first: readonly string[];
}

const PUBLIC = ['No secret', 'Code that anyone can download cannot keep one. PKCE (S256) is used instead.'] as const;
const CODE = ['Authorization code', 'Tokens never pass through the address bar.'] as const;

export const CLIENT_KINDS: Readonly<Record<KindName, ClientKind>> = {
  web: {
    title: 'Web application',
    about: 'Runs on your server and signs people in.',
    choices: [
      ['A secret', 'The server can keep it; it is shown once, after creation.'],
      CODE,
      ['Refresh tokens', 'The server can renew access without the person. This requires the scope offline_access.'],
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
    about: 'Runs only in the browser and signs people in.',
    choices: [
      PUBLIC,
      CODE,
      ['No refresh tokens', 'Any script that runs in the page could steal one and use it for a long time.'],
    ],
    members: {
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      allowed_cors_origins: [],
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
      ['Refresh tokens', 'The system stores them for this application only, and each can be used once.'],
      [
        'A redirect address of its own',
        'A claimed https address, or else a scheme such as com.example.app:/callback (RFC 8252).',
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
    about: 'A service that calls an API on its own behalf. Nobody signs in.',
    choices: [
      ['A secret', 'The service can keep it; it is shown once, after creation. A key pair is better still.'],
      ['Client credentials only', 'Nobody signs in, so there are no redirects, consents or refresh tokens.'],
      ['A scope of your own', 'If empty, the OAuth server uses its default.'],
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
    about: 'A television or a command-line tool: people sign in on another device.',
    choices: [
      ['No secret', 'Code that anyone can download cannot keep one.'],
      ['Device code', 'The device shows a code to enter on a phone (RFC 8628).'],
      ['Refresh tokens', 'Without them, people would have to enter a code every hour.'],
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

/** The kind for which the form would preset these grants; undefined for others, such as the implicit grant alone. */
export function kindOf({ grant_types, token_endpoint_auth_method: method }: JsonObject): KindName | undefined {
  const grants = texts(grant_types);
  if (grants.includes('authorization_code')) {
    if (method !== 'none') return 'web';
    return grants.includes('refresh_token') ? 'native' : 'browser';
  }
  if (grants.includes(DEVICE_GRANT)) return 'device';
  return grants.every((grant) => grant === 'client_credentials') && grants.length > 0 ? 'machine' : undefined;
}

/** What the OAuth server sets if nobody chooses. */
const SERVER_DEFAULTS: JsonObject = { subject_type: 'public', userinfo_signed_response_alg: 'none' };
const ANY_KIND = ['client_name', 'owner', 'grant_types', 'scope'];

/**
 * The fields to show first: those of the kind, and those whose value is not the usual one.
 * @returns also the names of the others that have a value
 */
export function fieldsOf(members: JsonObject, kind: KindName | undefined): { first: string[]; preset: string[] } {
  const { first = ANY_KIND, members: presets = {} } = kind === undefined ? {} : CLIENT_KINDS[kind];
  const usual: JsonObject = { ...SERVER_DEFAULTS, ...presets };
  const others = Object.keys(documentOf(members)).filter((name) => !first.includes(name));
  const isUsual = (name: string): boolean => sameJson(members[name], usual[name]);
  return { first: [...first, ...others.filter((name) => !isUsual(name))], preset: others.filter(isUsual) };
}

/**
 * Creates a client from the values of the form.
 * @param id if empty or undefined, the OAuth server generates one
 */
export const makeClient = (members: JsonObject, id: unknown) =>
  createClient({ ...documentOf(members), ...(id === '' || id === undefined ? {} : { client_id: id }) }).catch(
    explainDoubt,
  );

/** @returns also the generated secret, which cannot be read again; undefined for a client without a secret */
async function createClient(members: JsonObject): Promise<{ client: OauthClient; secret: string | undefined }> {
  const body = await exactBody(await send(oauthAdmin('/clients'), { method: 'POST', body: members }));
  return { client: asClient(body), secret: text(membersOf(body).client_secret) || undefined };
}

/** Without a response, there may be a client whose secret is lost. */
function explainDoubt(error: Error): never {
  if (!isInDoubt(error)) throw error;
  throw reworded(
    error,
    `${error.message} The client may have been created: check the list before you try again. If it is there, rotate its secret.`,
  );
}
