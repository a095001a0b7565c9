import type { UpstreamName } from '../../../../shared/upstreams.ts';
import type { Upstream } from '../../../config/config.ts';
import { adminClient } from '../../../upstream/admin-client.ts';
import type { Authorization } from '../../../upstream/credentials.ts';
import { type FailureKind, failureOf } from '../../../upstream/upstream-failure.ts';
import { type Check, type Finding, fail, gravest, pass, unknown, warn } from './check.ts';

const TIMEOUT_MS = 4_000;
const NO_ADMIN_API = unknown(
  'No admin API is configured.',
  'Set the addresses of your services, see the table of variables.',
);

/** Whether the services ask for a key, and whether ours opens them: both by asking. */
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
      title: 'Keys of the services',
      why: 'Without a key that fits, the admin pages of that service stay empty; with one on a public API, sign-outs there fail.',
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
      title: 'Admin APIs ask for a key',
      why: 'One that answers anybody is open to everything in its network: a single program there that is taken over owns all identities.',
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
  const outcome = await asked(upstream, () => authorization(name));
  switch (outcome) {
    case 'answered':
      return (await hasKey(name))
        ? pass(`/api/${name} takes the stored key.`)
        : warn(`No key is stored for /api/${name}.`, `Have it ask for a key. ${store}`);
    case 'key_unreadable':
      return fail(`The stored key of /api/${name} cannot be decrypted or sent.`, store);
    case 'refuses_key':
      return (await hasKey(name))
        ? fail(`/api/${name} refuses the stored key.`, store)
        : fail(`/api/${name} asks for a key, and none is stored.`, store);
    default:
      return silent(name);
  }
}

/** A public API should have none: it would stand in for that of the caller. */
async function strayKey({ name }: Upstream, hasKey: (name: UpstreamName) => Promise<boolean>): Promise<Finding[]> {
  const action = `Delete the setting upstream.${name}.api_key.`;
  return (await hasKey(name)) ? [warn(`A key is stored for /api/${name}, which is public.`, action)] : [];
}

async function keylessFinding(upstream: Upstream): Promise<Finding> {
  const { name } = upstream;
  const outcome = await asked(upstream, async () => undefined);
  if (outcome === 'refuses_key') return pass(`/api/${name} asks for a key.`);
  if (outcome !== 'answered') return silent(name);
  return fail(
    `/api/${name} answers without a key.`,
    'Put a reverse proxy in front of it that asks for one, and let nothing else reach it.',
  );
}

const silent = (name: string): Finding =>
  unknown(`/api/${name} does not answer as it should.`, 'See System, services, for what is wrong.');

/** Asks for one row. */
async function asked(
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
