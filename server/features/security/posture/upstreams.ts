import type { UpstreamName } from '../../../../shared/upstreams.ts';
import type { Upstream } from '../../../config/config.ts';
import { adminClient } from '../../../upstream/admin-client.ts';
import type { Authorization } from '../../../upstream/credentials.ts';
import { type FailureKind, failureOf } from '../../../upstream/upstream-failure.ts';
import { type Check, type Finding, fail, gravest, pass, unknown, warn } from './check.ts';

const TIMEOUT_MS = 4_000;
const NO_ADMIN_API = unknown(
  'No admin API is configured.',
  'Set the addresses of your services; see the table of variables in docs/operations.md.',
);

/** Whether the services require a key and accept the stored one; determined by requests to them. */
export function upstreamChecks(
  upstreams: readonly Upstream[],
  authorization: Authorization,
  hasKey: (name: UpstreamName) => Promise<boolean>,
): Check[] {
  const configured = upstreams.filter(({ url }) => url !== undefined);
  const adminApis = configured.filter(({ admin }) => admin);

  return [
    {
      id: 'upstream_keys',
      title: 'API keys of the services',
      why: 'Without a valid key, the admin pages of that service stay empty; with a key for a public API, sign-outs there fail.',
      look: async () =>
        gravest(
          (
            await Promise.all([
              ...adminApis.map((upstream) => keyFinding(upstream, authorization, hasKey)),
              ...configured.filter(({ admin }) => !admin).map((upstream) => strayKey(upstream, hasKey)),
            ])
          ).flat(),
          NO_ADMIN_API,
        ),
    },
    {
      id: 'upstream_without_key',
      title: 'Admin APIs require a key',
      why: 'An admin API without a key is open to its whole network: a single compromised program there controls all identities.',
      look: async () => gravest(await Promise.all(adminApis.map(keylessFinding)), NO_ADMIN_API),
    },
  ];
}

async function keyFinding(
  upstream: Upstream,
  authorization: Authorization,
  hasKey: (name: UpstreamName) => Promise<boolean>,
): Promise<Finding> {
  const { name } = upstream;
  const store = `Store the right key as the setting upstream.${name}.api_key.`;
  const outcome = await probe(upstream, () => authorization(name));
  switch (outcome) {
    case 'answered':
      return (await hasKey(name))
        ? pass(`/api/${name} accepts the stored key.`)
        : warn(
            `No key is stored for /api/${name}.`,
            `Make /api/${name} require a key, and store it as the setting upstream.${name}.api_key.`,
          );
    case 'key_unreadable':
      return fail(`The stored key of /api/${name} cannot be decrypted or sent.`, store);
    case 'refuses_key':
      return (await hasKey(name))
        ? fail(`/api/${name} rejects the stored key.`, store)
        : fail(`/api/${name} requires a key, and none is stored.`, store);
    default:
      return silent(name);
  }
}

/** A public API should have no stored key: it would replace the caller's credentials. */
async function strayKey({ name }: Upstream, hasKey: (name: UpstreamName) => Promise<boolean>): Promise<Finding[]> {
  const action = `Delete the setting upstream.${name}.api_key.`;
  return (await hasKey(name)) ? [warn(`A key is stored for /api/${name}, which is public.`, action)] : [];
}

async function keylessFinding(upstream: Upstream): Promise<Finding> {
  const { name } = upstream;
  const outcome = await probe(upstream, async () => undefined);
  if (outcome === 'refuses_key') return pass(`/api/${name} requires a key.`);
  if (outcome !== 'answered') return silent(name);
  return fail(
    `/api/${name} responds without a key.`,
    'Put a reverse proxy in front of it that requires one, and block all other access to it.',
  );
}

const silent = (name: string): Finding =>
  unknown(`/api/${name} does not respond as expected.`, 'See System, Services for details.');

/** Requests one row. */
async function probe(
  { url, holdsIdentities }: Upstream,
  authorization: () => Promise<string | undefined>,
): Promise<'answered' | FailureKind> {
  const client = adminClient({ url, authorization, timeoutMs: TIMEOUT_MS });
  try {
    await client.list(holdsIdentities ? '/admin/identities' : '/admin/clients', { page_size: 1 });
    return 'answered';
  } catch (error) {
    return failureOf(error).kind;
  }
}
