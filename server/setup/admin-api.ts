import { membersOf, text } from '../../shared/json.ts';
import { upstreamPrefix } from '../../shared/upstreams.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { OperatorsApi } from '../config/config.ts';
import type { AdminClientOptions } from '../upstream/admin-client.ts';
import { failureOf, failureOfAnswer, UpstreamFailure } from '../upstream/failure.ts';
import { upstreamFetch } from '../upstream/fetch.ts';
import { SetupFailed } from './step.ts';

/** Reads and writes at an admin API of Kratos or Hydra; what it writes is recorded in the audit trail. */
export interface AdminApi {
  /** @returns undefined if it does not exist @throws SetupFailed */
  read(path: string): Promise<unknown>;
  /** @returns the status and the JSON of a success, of 400, 404 or 409 @throws SetupFailed */
  write(method: 'POST' | 'PUT', path: string, body: object): Promise<{ status: number; json: unknown }>;
}

export function adminApi(
  of: OperatorsApi,
  { api, audit }: { api: AdminClientOptions; audit: Pick<AuditTrail, 'record'> },
): AdminApi {
  const variable = of.urlVariable;
  /** In records: a service that is no upstream has no path at this one, and is named by its variable. */
  const prefix = of.upstream === undefined ? variable : upstreamPrefix(of.upstream);

  async function ask(method: 'GET' | 'POST' | 'PUT', path: string, body?: object) {
    try {
      const key = await api.authorization();
      const answer = await upstreamFetch(api.url + path, {
        method,
        headers: {
          accept: 'application/json',
          ...(key === undefined ? {} : { authorization: key }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: api.timeoutMs,
      });
      const { status, text: sent } = answer;
      if (!(body === undefined ? READ : WRITTEN).includes(status)) throw failureOfAnswer(answer);
      return { status, json: sent === '' ? undefined : parsed(sent, status) };
    } catch (error) {
      throw failureOf(error);
    }
  }

  const told = (failure: UpstreamFailure): SetupFailed => new SetupFailed(`${variable} ${sentence(failure, of)}`);
  const checkAddress = (): void => {
    if (api.url === undefined) throw new SetupFailed(`${variable} is not set.`);
  };

  return {
    async read(path) {
      checkAddress();
      const { status, json } = await ask('GET', path).catch((failure) => Promise.reject(told(failure)));
      return status === 404 ? undefined : json;
    },
    async write(method, path, body) {
      checkAddress();
      const answer = await ask(method, path, body).catch((failure: UpstreamFailure) => failure);
      const failed = answer instanceof UpstreamFailure;
      const status = failed ? (answer.answer?.status ?? null) : answer.status;
      const changed = Object.keys(body).sort();
      const target = `${prefix}${path}`;
      const { id, client_id: clientId } = membersOf(failed ? undefined : answer.json);
      const created = text(clientId ?? id);
      const location = `${target}/${encodeURIComponent(created)}`;
      await audit.record({
        action: 'proxy_write',
        actor: 'command-line',
        target,
        details: { method, status, peer: null, changed, ...(status === 201 && created !== '' && { location }) },
      });
      if (failed) throw told(answer);
      return answer;
    },
  };
}

const READ = [200, 404];
const WRITTEN = [200, 201, 400, 404, 409];

/** A page of a gateway says nothing about what exists. */
function parsed(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UpstreamFailure('nonsense', { answer: { status, text: '' } });
  }
}

function sentence({ kind, answer }: UpstreamFailure, { key, keyVariable, upstream }: OperatorsApi): string {
  const isStored = key === undefined && upstream !== undefined;
  switch (kind) {
    case 'refuses_key':
      return `demands a key, or refuses the one it got: ${isStored ? `give the right one with --key ${upstream}=FILE` : `set ${keyVariable}`}.`;
    case 'unreachable':
    case 'timeout':
      return 'does not respond: correct it, or start that service.';
    case 'key_unreadable':
      return `has a stored key that cannot be decrypted: give it again with --key ${upstream}=FILE.`;
    default:
      return `does not respond as that API: ${answer === undefined ? kind : `it answers ${answer.status}`}.`;
  }
}
