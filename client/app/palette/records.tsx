import { keepPreviousData, useQuery } from '@tanstack/react-query';
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
import { viewsQuery } from '../../api/views.ts';
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
  const kinds = RECORD_RESOURCES.filter(useReadable());
  const records = pasted.kind === 'id' ? kinds.map((resource) => ({ resource, id: idFor(resource, pasted) })) : [];
  const { data, error, isLoading: pending } = useQuery({ ...recordsQuery(records), enabled: records.length > 0 });
  const sentences = [
    pending && 'Looking up the ID…',
    error !== null && `The ID could not be looked up: ${error.message}`,
    data !== undefined && data.records.length > 0 && `Found: ${data.records.map(sentenceOf).join('; ')}.`,
    ...(data?.failed ?? []).map(({ resource, message }) => `${PAGES[resource].label} could not be read: ${message}`),
    data?.records.length === 0 && data.failed.length === 0 && UNKNOWN_ID,
  ];
  return { pending, records: data?.records ?? [], status: sentences.filter(Boolean).join(' ') };
}

const idFor = (resource: RecordResource, { id, as }: Extract<Pasted, { kind: 'id' }>): string =>
  resource === 'client' ? as : id;

const UNKNOWN_ID = 'No record has this ID. If it is a request ID, look in the log.';

/** "Session of Ada Moreno, ended 3 days ago" */
function sentenceOf(record: RecordSummary): string {
  switch (record.resource) {
    case 'identity':
      return `Identity: ${visibleText(record.name ?? record.identifier ?? record.id)}`;
    case 'client':
      return `Client: ${visibleText(record.name || record.id)}`;
    case 'session': {
      const { name, identity_id, active, authenticated_at, expires_at } = record;
      const ended = Date.parse(expires_at) <= Date.now() ? `ended ${ago(expires_at)}` : 'not active';
      const state = active ? `signed in ${ago(authenticated_at)}` : ended;
      return `Session of ${visibleText(name ?? identity_id ?? 'an unknown person')}, ${state}`;
    }
    case 'message': {
      const about = `${formatTemplate(record.template_type)}), ${messageStatus(record.status).label}`.toLowerCase();
      return `Message to ${visibleText(record.recipient)} (${visibleText(about)} ${ago(record.created_at)}`;
    }
  }
}

const ago = (time: string): string =>
  Number.isNaN(Date.parse(time)) ? 'at an unknown time' : timeAgo(new Date(time), Date.now());

function aboutOf(record: RecordSummary): string | undefined {
  if (record.resource === 'identity')
    return line([record.name && record.identifier, record.state === 'active' ? undefined : record.state]);
  return record.resource === 'client' && record.name ? visibleText(record.id) : undefined;
}

/** @param found undefined if it could not be read */
export function recordCommand(
  { resource, id }: RecordReference,
  found: RecordSummary | undefined,
  open: Open,
): Command {
  const { to, title, icon: Icon } = PAGES[resource];
  return {
    id: `record ${resource}:${id}`,
    label: found === undefined ? `${title} ${visibleText(id)}` : sentenceOf(found),
    about: found && aboutOf(found),
    icon: <Icon size={18} />,
    run: () => open(`${to}/${idInPath(id)}`),
  };
}

/** The records opened last and the favourites, whose names come in one request. Lines keep their place. */
export function useRemembered(isShown: boolean, open: Open): Group[] {
  const { identityId: operator } = useOperator();
  const readable = useReadable();
  const [recents] = useState(() => recentRecords(operator));
  const { data: stored, isLoading } = useQuery({ ...viewsQuery, enabled: RECORD_RESOURCES.some(readable) });
  const lists = [recents, stored?.favourites ?? []].map((all) => all.filter(({ resource }) => readable(resource)));
  const records = lists.flat();
  const { data, error } = useQuery({
    ...recordsQuery(records),
    enabled: isShown && !isLoading && records.length > 0,
    placeholderData: keepPreviousData,
  });
  useEffect(() => dropRecents(operator, data?.gone ?? []), [data, operator]);
  if (!isShown) return [];

  return ['Recent', 'Favourites'].map((name, index) => ({
    name,
    fit: 2,
    commands: (lists[index] ?? []).map((record) => {
      const isIt = (one: RecordReference): boolean => recordKey(one) === recordKey(record);
      const command = recordCommand(record, data?.records.find(isIt), open);
      const problem = data?.failed.find(isIt) ?? error;
      const failure = problem ? `Could not be read: ${problem.message}` : undefined;
      const gone = data?.gone.some(isIt) ? 'This record no longer exists.' : undefined;
      return { ...command, id: `${name} ${command.id}`, about: gone ?? failure ?? command.about };
    }),
  }));
}
