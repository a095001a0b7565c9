import {
  type QueryClient,
  type QueryKey,
  type UseQueryOptions,
  type UseQueryResult,
  useQuery,
} from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type ListedIdentity, PAGE_SIZE_DEFAULT } from '../../../shared/identities.ts';
import { isObject, type JsonObject, text } from '../../../shared/json.ts';
import type { Setting } from '../../../shared/settings.ts';
import { fold, hasWords, searchTerms } from '../../../shared/text.ts';
import { lookUpNote, plainSearch } from '../../api/identities.ts';
import { FOUND_MAX, foundClientsQuery, foundIdentitiesQuery, identityPageQuery } from '../../api/identity-search.ts';
import { useCan } from '../../api/session.ts';
import { settingPageQuery } from '../../api/settings.ts';
import { hasApplications, hasPeople } from '../../deployment.ts';
import { idInPath } from '../../lib/encoding.ts';
import { counted } from '../../lib/format-count.ts';
import { identifierOf, nameOf } from '../../lib/identity-name.ts';
import { useAfterTyping } from '../../lib/keys.ts';
import { searchText, visibleText } from '../../lib/visible-text.ts';
import { IconAdjustments, IconApps, IconUsers } from '../../ui/shell-icons.tsx';

/** A row of the palette: Enter or a click runs it. */
export interface Command {
  id: string;
  label: string;
  about?: string | undefined;
  icon: ReactNode;
  /** The palette then closes; for a promise, once that settles, unless it is of a sentence to show. */
  run: () => unknown;
}

export interface Group {
  /** Absent for commands that need no heading. */
  name?: string;
  commands: readonly Command[];
  /** How well the first command matches the text. */
  fit: Fit;
  /** Whether the commands are search results or further searches. */
  kind?: 'found' | 'searches';
}

/**
 * Without an index: finds one identity by a whole login identifier, or by its beginning and a star.
 * @returns the path of its page; undefined if none or several match, or the search fails
 */
export async function findIdentity(text: string, queryClient: QueryClient): Promise<string | undefined> {
  const query = identityPageQuery({ pageSize: PAGE_SIZE_DEFAULT, token: undefined, ...plainSearch(text) });
  const { identities = [], has_more = false } = (await queryClient.fetchQuery(query).catch(() => undefined)) ?? {};
  const [only, ...others] = identities;
  return only === undefined || others.length > 0 || has_more ? undefined : `/identities/${only.id}`;
}

/** Search results for the typed text; each resource is undefined until its response arrives. */
export type Found = ReturnType<typeof useFound>;

/**
 * Searches the identities, clients and settings that the operator may read, 400 ms after the last key press or on
 * request. Changing the text aborts the search and clears its results.
 */
export function useFound(typed: string | undefined) {
  const may = useCan();
  const text = searchTextIn(typed ?? '');
  const [settled, setSettled] = useState<string>();
  useAfterTyping(true, () => setSettled(text), [text ?? '']);
  const isSettled = text !== undefined && settled === text;
  const q = text ?? '';

  const identities = useIndexed(foundIdentitiesQuery(q), isSettled && hasPeople() && may('identities.read'));
  const clients = useIndexed(foundClientsQuery(q), isSettled && hasApplications() && may('clients.read'));
  const settings = useQuery({
    ...settingPageQuery({ q, pageSize: 200 }),
    enabled: isSettled && may('settings.read'),
  });
  const queries = Object.entries({ identities, clients, settings });
  const page = isSettled ? settings.data : undefined;
  return {
    /** Undefined without a search. */
    text,
    pending: isSettled ? queries.some(([, { isLoading }]) => isLoading) : text !== undefined,
    /** Skips the debounce. */
    searchNow: (): void => setSettled(text),
    identities: (isSettled && identities.data) || undefined,
    clients: (isSettled && clients.data) || undefined,
    settings: page && { rows: page.rows.map(({ setting }) => setting), hasMore: page.next !== undefined },
    failures: queries.flatMap(([of, { error }]) => (isSettled && error !== null ? [{ of, error }] : [])),
  };
}

/** Once a response says that there is no index, stops searching until the palette closes. */
function useIndexed<T, Key extends QueryKey>(
  query: UseQueryOptions<T | null, Error, T | null, Key>,
  enabled: boolean,
): UseQueryResult<T | null> {
  const [isOff, setOff] = useState(false);
  const result = useQuery({ ...query, enabled: enabled && !isOff });
  if (result.data === null && !isOff) setOff(true);
  return result;
}

export type Open = (to: string, search?: Record<string, string>) => void;
type FoundCommand = Command & { fit: Fit };

/** Search results as commands: at most five per resource, best match first. */
export function foundGroups({ text: search, identities, clients, settings }: Found, open: Open): Group[] {
  if (search === undefined) return [];
  // Identities that have changed since indexing may no longer match.
  const people = (identities?.identities ?? []).filter(({ changed }) => !changed);
  return [
    group(
      'Identities',
      people.map((identity) => identityCommand(identity, search, open)),
    ),
    group(
      'Clients',
      (clients?.clients ?? []).filter(hasId).map((client) => clientCommand(client, search, open)),
    ),
    group('Settings', settings?.rows.map((setting) => settingCommand(setting, search, open)) ?? []),
  ];
}

function group(name: string, found: readonly FoundCommand[]): Group {
  const commands = bestFirst(found).slice(0, FOUND_MAX);
  return { name, kind: 'found', fit: commands[0]?.fit ?? 2, commands };
}

function identityCommand(identity: ListedIdentity, search: string, open: Open): FoundCommand {
  const { id, state, traits } = identity;
  const texts = textsIn(isObject(traits) ? traits : {});
  const [identifier, name] = [identifierOf(identity), nameOf(identity)];
  const label = name ?? identifier ?? id;
  const why = hiddenMatch(texts, [label, identifier ?? ''], search);
  return {
    id: `identity ${id}`,
    label: visibleText(label),
    about: line([label === identifier ? undefined : identifier, why, state === 'active' ? undefined : state]),
    icon: <IconUsers size={18} />,
    run: () => open(`/identities/${id}`),
    fit: fitOf(search, identifier, texts),
  };
}

const hasId = ({ client_id }: JsonObject): boolean => text(client_id) !== '';

function clientCommand(client: JsonObject, search: string, open: Open): FoundCommand {
  const [id, name, owner] = [text(client.client_id), text(client.client_name), text(client.owner)];
  return {
    id: `client ${id}`,
    label: visibleText(name || id),
    about: line([name && id, owner && `owner ${owner}`]),
    icon: <IconApps size={18} />,
    run: () => open(`/oauth/clients/${idInPath(id)}`),
    fit: fitOf(search, id, [name, owner]),
  };
}

const settingCommand = ({ key, category }: Setting, search: string, open: Open): FoundCommand => ({
  id: `setting ${key}`,
  label: visibleText(key),
  about: line([category]),
  icon: <IconAdjustments size={18} />,
  run: () => open('/settings', { key }),
  fit: fitOf(search, key),
});

export const line = (parts: readonly (string | null | undefined)[]): string | undefined =>
  parts
    .filter(Boolean)
    .map((part) => visibleText(part as string))
    .join(' · ') || undefined;

/** `Found: 551 identities, 1 client, 12 settings.`, followed by the failed searches. */
export function formatFound({ pending, identities, clients, settings, failures }: Found): string {
  const counts = [
    identities &&
      (identities.total === null ? 'more than 10,000 identities' : counted(identities.total, 'identity', 'identities')),
    clients && counted(clients.total, 'client', 'clients'),
    settings && `${settings.hasMore ? 'at least ' : ''}${counted(settings.rows.length, 'setting', 'settings')}`,
  ].filter((count) => count !== undefined);
  const sentences = [
    pending ? 'Searching…' : counts.length > 0 && `Found: ${counts.join(', ')}.`,
    ...[
      identities && !identities.index.complete && counted(identities.index.identities, 'identity', 'identities'),
      clients && !clients.index.complete && counted(clients.index.clients, 'client', 'clients'),
    ].map((searched) => searched && `Only ${searched} indexed so far.`),
    lookUpNote(identities),
    ...failures.map(({ of, error }) => `Search in ${of} failed: ${error.message}`),
  ];
  return sentences.filter(Boolean).join(' ');
}

/** Shorter texts match too much, and each search for identities leaves an audit record. */
const MIN_CHARACTERS = 3;

/**
 * The text to search for, without a trailing star, which is redundant here.
 * @returns undefined if the text is too short or too long
 */
export function searchTextIn(typed: string): string | undefined {
  const text = (searchText(typed) ?? '').replace(/(?<=[^*])\*+$/, '').trim();
  return [...text].length >= MIN_CHARACTERS ? text : undefined;
}

/** 0: the text is a whole identifier; 1: the beginning of any text; 2: a part. */
export type Fit = 0 | 1 | 2;

/** Ignores case and accents, as the service does. */
export function fitOf(text: string, identifier: string | undefined, others: readonly string[] = []): Fit {
  const whole = fold(identifier ?? '');
  const beginnings = [fold(text), ...searchTerms(text).slice(0, 1)];
  if (beginnings.includes(whole)) return 0;
  return [whole, ...others.map(fold)].some((other) => beginnings.some((one) => other.startsWith(one))) ? 1 : 2;
}

/** Best match first; equal matches keep their order. */
export const bestFirst = <T extends { fit: Fit }>(things: readonly T[]): T[] =>
  things.toSorted((one, other) => one.fit - other.fit);

/** The first text that contains a search word missing from the visible texts. It explains the match. */
export function hiddenMatch(texts: readonly string[], visible: readonly string[], search: string): string | undefined {
  const hidden = searchTerms(search).filter((word) => !visible.some((text) => hasWords(text, [word])));
  return texts.find((text) => hidden.some((word) => hasWords(text, [word])));
}

/** Traits nested more deeply are not searched. */
const DEPTH_MAX = 8;

export function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth >= DEPTH_MAX) return [];
  return Object.values(value).flatMap((member) => textsIn(member, depth + 1));
}
