import { isObject } from '../../shared/json.ts';
import type { Identity } from './identities-record.ts';
import { type ListedMessage, messagePageQuery } from './messages.ts';

/** Each costs a request. */
const ADDRESSES_MAX = 8;

/** Distinct addresses for messages to an identity: verification, recovery and sign-in codes. */
export function messageAddresses(
  identity: Pick<Identity, 'verifiable_addresses' | 'recovery_addresses' | 'credentials'>,
): readonly string[] {
  const { verifiable_addresses: verifiable = [], recovery_addresses: recovery = [], credentials } = identity;
  const code = isObject(credentials) && isObject(credentials.code) ? credentials.code.identifiers : undefined;
  const values: unknown[] = [...verifiable, ...recovery].map(({ value }) => value);
  const all = values.concat(Array.isArray(code) ? code : []);
  return [...new Set(all)]
    .filter((value): value is string => typeof value === 'string' && value !== '')
    .slice(0, ADDRESSES_MAX);
}

/** Of each address; the Messages page has the rest. */
const SHOWN_OF_EACH = 25;

/** The latest messages to an address, or those after a cursor. */
export const latestMessagesQuery = (recipient: string, token?: string) =>
  messagePageQuery({ pageSize: SHOWN_OF_EACH, status: undefined, recipient, token });

/** Merges lists of messages without duplicates, newest first. */
export function latestOf(lists: readonly (readonly ListedMessage[])[]): readonly ListedMessage[] {
  const byId = new Map(lists.flat().map((message) => [message.id, message]));
  return [...byId.values()].sort((a, b) => timeOf(b) - timeOf(a));
}

const timeOf = ({ created }: ListedMessage): number => Date.parse(created) || 0;
