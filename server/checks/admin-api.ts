import { membersOf, text } from '../../shared/json.ts';
import { upstreamPrefix } from '../../shared/upstreams.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { OperatorsApi } from '../config/config.ts';
import type { AdminClientOptions } from '../upstream/admin-client.ts';
import { failureOf, failureOfStatus, UpstreamFailure } from '../upstream/failure.ts';
import { upstreamFetch } from '../upstream/fetch.ts';
import { SetupFailed } from './step.ts';
import { causeOf, type NamedApi } from './upstreams.ts';

export type AdminApi = ReturnType<typeof adminApi>;

const READ = [200, 404];
const WRITTEN = [200, 201, 400, 404, 409];
/** A record lists at most so many members. */
const MAX_CHANGED = 20;

/** Reads from and writes to an admin API of Kratos or Hydra. Writes are recorded in the audit trail. */
export function adminApi(
  { key, keyVariable, upstream, urlVariable }: OperatorsApi,
  api: AdminClientOptions,
  audit: Pick<AuditTrail, 'record'>,
) {
  const named: NamedApi = {
    ...{ name: `the API at ${urlVariable}`, urlVariable },
    giveKey:
      key === undefined && upstream !== undefined
        ? `give the right one with --key ${upstream}=FILE`
        : `set ${keyVariable} to its key`,
  };
  /** The target in audit records: the upstream's prefix, or the variable of a service that is not an upstream. */
  const prefix = upstream === undefined ? urlVariable : upstreamPrefix(upstream);

  async function send(method: 'GET' | 'POST' | 'PUT', path: string, body?: object) {
    try {
      if (api.url === undefined) throw new UpstreamFailure('not_configured');
      const authorization = await api.authorization().catch((cause) => {
        throw new UpstreamFailure('key_unreadable', { cause });
      });
      const response = await upstreamFetch(api.url + path, {
        method,
        headers: {
          accept: 'application/json',
          ...(authorization === undefined ? {} : { authorization }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: api.timeoutMs,
      });
      const { status } = response;
      if (!(body === undefined ? READ : WRITTEN).includes(status)) throw failureOfStatus(response);
      return { status, json: response.text === '' ? undefined : parsed(response.text, status) };
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** Explains a failed request, and what to do about it. */
  const explained = (error: unknown): SetupFailed => new SetupFailed(causeOf(failureOf(error), named).join(' '));

  return {
    explained,

    /** @returns undefined if it does not exist @throws SetupFailed */
    async read(path: string): Promise<unknown> {
      const { status, json } = await send('GET', path).catch((failure) => Promise.reject(explained(failure)));
      return status === 404 ? undefined : json;
    },

    /** @returns status and JSON of a success or of 400, 404 or 409 @throws SetupFailed */
    async write(method: 'POST' | 'PUT', path: string, body: object): Promise<{ status: number; json: unknown }> {
      const outcome = await send(method, path, body).catch((failure: UpstreamFailure) => failure);
      const isFailure = outcome instanceof UpstreamFailure;
      const status = isFailure ? (outcome.response?.status ?? null) : outcome.status;
      const { id, client_id: clientId } = membersOf(isFailure ? undefined : outcome.json);
      const created = text(clientId ?? id);
      const target = `${prefix}${path}`;
      const location = `${target}/${encodeURIComponent(created)}`;
      // Pointers, as in the records of the proxies; no member of these bodies has to be escaped.
      const changed = Object.keys(body)
        .slice(0, MAX_CHANGED)
        .map((member) => `/${member}`);
      await audit.record({
        action: 'proxy_write',
        actor: 'command-line',
        target,
        details: { method, status, peer: null, changed, ...(status === 201 && created !== '' && { location }) },
      });
      if (isFailure) throw explained(outcome);
      return outcome;
    },
  };
}

/** Refuses the HTML page of a gateway, which does not show what exists. */
function parsed(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UpstreamFailure('nonsense', { response: { status, text: '' } });
  }
}
