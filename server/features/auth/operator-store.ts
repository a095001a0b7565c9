import type { Presence } from '../../session/operator-check.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';
import { upstreamFetch } from '../../upstream/upstream-fetch.ts';

/** What the identity store knows of an operator. */
export type Operator =
  | { kind: 'active'; schemaId: unknown; traits: Record<string, unknown> }
  | { kind: 'inactive' }
  | { kind: 'absent' };

export interface OperatorStore {
  /** @throws UpstreamFailure for anything but a clear answer: an outage is not an absence */
  read(identityId: string): Promise<Operator>;
  presence(identityId: string): Promise<Presence>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The store that holds the operators (Kratos' `GET /admin/identities/{id}`).
 * @param authorization the ready `Authorization` value, or undefined without a key
 */
export function operatorStore(options: {
  url: string;
  timeoutMs: number;
  authorization: () => string | undefined | Promise<string | undefined>;
}): OperatorStore {
  /** A key that cannot be used keeps the store out of reach, which the sign-in page can explain. */
  async function authorization(): Promise<string | undefined> {
    try {
      return await options.authorization();
    } catch (cause) {
      throw new UpstreamFailure('broken', cause);
    }
  }

  async function read(identityId: string): Promise<Operator> {
    // Nothing but a UUID ever becomes part of a store's address.
    if (!UUID.test(identityId)) return { kind: 'absent' };
    const key = await authorization();
    const answer = await upstreamFetch(`${options.url}/admin/identities/${identityId}`, {
      headers: { accept: 'application/json', ...(key === undefined ? {} : { authorization: key }) },
      timeoutMs: options.timeoutMs,
    });
    const body = parse(answer.text);
    if (answer.status === 404 && (body.error as { code?: unknown } | undefined)?.code === 404)
      return { kind: 'absent' };
    if (answer.status !== 200 || String(body.id).toLowerCase() !== identityId.toLowerCase())
      throw new UpstreamFailure('unreachable');
    if (body.state !== 'active') return { kind: 'inactive' };
    const { traits } = body;
    return {
      kind: 'active',
      schemaId: body.schema_id,
      traits: typeof traits === 'object' && traits !== null ? (traits as Record<string, unknown>) : {},
    };
  }

  return {
    read,
    presence: async (identityId) => {
      const operator = await read(identityId);
      return operator.kind === 'active' ? 'present' : 'gone';
    },
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
