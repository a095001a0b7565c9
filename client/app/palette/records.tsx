import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import {
  RECORD_RESOURCES,
  type RecordReference,
  type RecordResource,
  type RecordSummary,
  recordKey,
} from '../../../shared/records.ts';
import { recordsQuery } from '../../api/records.ts';
import { useCan, useOperator } from '../../api/session.ts';
import { changeFavourites, viewsQuery } from '../../api/views.ts';
import { hasPage } from '../../deployment.ts';
import { IDENTITIES } from '../../features/identities/identity-resource.ts';
import { MESSAGES } from '../../features/messages/message-resource.ts';
import { CLIENTS } from '../../features/oauth-clients/client-resource.ts';
import { SESSIONS } from '../../features/sessions/session-resource.ts';
import { idInPath } from '../../lib/encoding.ts';
import { timeAgo } from '../../lib/format-time.ts';
import { formatTemplate, messageStatus } from '../../lib/labels.ts';
import { dropRecents, recentRecords } from '../../lib/recents.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { type Command, type Group, line, type Open } from './found.tsx';
import type { Pasted } from './pasted.ts';

const PAGES = { identity: IDENTITIES, session: SESSIONS, message: MESSAGES, client: CLIENTS } as const;

/** Whether the role may read records of a kind that the deployment has. */
function useReadable(): (resource: RecordResource) => boolean {
  const may = useCan();
  return (resource) => may(PAGES[resource].needs[0]) && hasPage(PAGES[resource].to);
}

/** The records with a pasted id, of every kind, in one request. */
export function useLookUp(pasted: Pasted) {
  const readable = useReadable();
  const kinds = pasted.kind === 'id' ? RECORD_RESOURCES.filter(readable) : [];
  const idsOf = (resource: RecordResource): string[] =>
    pasted.kind !== 'id' ? [] : resource === 'client' ? [pasted.id, pasted.as] : [pasted.id];
  const records = kinds.flatMap((resource) => idsOf(resource).map((id) => ({ resource, id })));
  const { data, error, isLoading: pending } = useQuery({ ...recordsQuery(records), enabled: records.length > 0 });
  const failures = new Map(data?.failed.map(({ resource, message }) => [PAGES[resource].label, message]));
  const sentences = [
    pending && 'Looking up the ID…',
    error !== null && `The ID could not be looked up: ${error.message}`,
    data !== undefined && data.records.length > 0 && `Found: ${data.records.map(sentenceOf).join('; ')}.`,
    ...[...failures].map(([of, message]) => `${of} could not be read: ${message}`),
    data?.records.length === 0 && failures.size === 0 && UNKNOWN_ID,
  ];
  return { pending, records: data?.records ?? [], status: sentences.filter(Boolean).join(' ') };
}

const UNKNOWN_ID = 'No record has this ID. If it is a request ID, look in the log.';

/** "Session of Ada Moreno, ended 3 days ago" */
function sentenceOf(record: RecordSummary): string {
  if (record.resource === 'identity') return `Identity: ${visibleText(record.name ?? record.identifier ?? record.id)}`;
  if (record.resource === 'client') return `Client: ${visibleText(record.name || record.id)}`;
  if (record.resource === 'session') {
    const { name, identity_id, active, authenticated_at, expires_at } = record;
    const hasExpired = Date.parse(expires_at) <= Date.now();
    const state = active
      ? `signed in ${ago(authenticated_at)}`
      : hasExpired
        ? `ended ${ago(expires_at)}`
        : 'not active';
    return `Session of ${visibleText(name ?? identity_id ?? 'an unknown person')}, ${state}`;
  }
  const { recipient, template_type, status, created_at } = record;
  const [what, state] = [formatTemplate(template_type), messageStatus(status).label].map((word) => word.toLowerCase());
  return `Message to ${visibleText(recipient)} (${visibleText(what ?? '')}), ${state} ${ago(created_at)}`;
}

const ago = (time: string): string =>
  Number.isNaN(Date.parse(time)) ? 'at an unknown time' : timeAgo(new Date(time), Date.now());

function aboutOf(record: RecordSummary): string | undefined {
  if (record.resource === 'identity')
    return line([record.name && record.identifier, record.state === 'active' ? undefined : record.state]);
  return record.resource === 'client' && record.name ? visibleText(record.id) : undefined;
}

export function recordCommand(record: RecordSummary, open: Open): Command {
  return { ...unnamedCommand(record, open), label: sentenceOf(record), about: aboutOf(record) };
}

function unnamedCommand({ resource, id }: RecordReference, open: Open): Command {
  const { to, title, icon: Icon } = PAGES[resource];
  return {
    id: `record ${resource}:${id}`,
    label: `${title} ${visibleText(id)}`,
    icon: <Icon size={18} />,
    run: () => open(`${to}/${idInPath(id)}`),
  };
}

/** The records opened last and the favourites, whose names come in one request. Lines keep their place. */
export function useRemembered(isShown: boolean, open: Open): Group[] {
  const queryClient = useQueryClient();
  const { identityId: operator } = useOperator();
  const readable = useReadable();
  const [recents] = useState(() => recentRecords(operator));
  const { data: stored, isLoading } = useQuery({ ...viewsQuery, enabled: RECORD_RESOURCES.some(readable) });
  const lists = { Recent: recents, Favourites: stored?.favourites ?? [] };
  const records = Object.values(lists)
    .flat()
    .filter(({ resource }) => readable(resource));
  const { data, error } = useQuery({
    ...recordsQuery(records),
    enabled: isShown && !isLoading && records.length > 0,
    placeholderData: keepPreviousData,
  });
  useEffect(() => dropRecents(operator, data?.gone ?? []), [data, operator]);
  if (!isShown) return [];

  const commandOf = (name: string, record: RecordReference): Command => {
    const isIt = (one: RecordReference): boolean => recordKey(one) === recordKey(record);
    const found = data?.records.find(isIt);
    const { id, ...named } = found === undefined ? unnamedCommand(record, open) : recordCommand(found, open);
    const command = { ...named, id: `${name} ${id}` };
    const problem = data?.failed.find(isIt) ?? error;
    if (!data?.gone.some(isIt))
      return problem === null ? command : { ...command, about: `Could not be read: ${problem.message}` };
    const about = 'This record no longer exists.';
    if (name === 'Recent') return { ...command, about };
    const remove = () => changeFavourites(queryClient, (all) => all.filter((one) => !isIt(one)));
    const run = () => remove().then(() => 'Removed from the favourites.');
    return { ...command, about: `${about} Select to remove it from the favourites.`, run };
  };
  return Object.entries(lists).map(([name, listed]) => ({
    name,
    fit: 2,
    commands: listed.filter(({ resource }) => readable(resource)).map((record) => commandOf(name, record)),
  }));
}
