import { Button, Group, Paper, Skeleton, Stack } from '@mantine/core';
import { type QueryKey, useQuery } from '@tanstack/react-query';
import { Link, type LinkProps, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, use } from 'react';
import { RequestError } from '../api/request.ts';
import { useCan } from '../api/session.ts';
import type { ResourceDefinition, ResourceName } from '../list/resource.ts';
import { JsonText } from '../ui/facts.tsx';
import { FailurePanel } from '../ui/failure-panel.tsx';
import { IconArrowLeft } from '../ui/icons.tsx';
import { PageHeading } from '../ui/layout.tsx';
import { NoAccessPage, StatePanel } from '../ui/state-panel.tsx';
import { DetailTabs, RecordContext, type RecordQuery, type TabCounts } from './tabs.tsx';

/** A link to the page of the list that this page was opened from, or else to the first. */
export function BackToList({ to, label }: { to: string; label: string }) {
  const from = useLocation({ select: ({ state }) => state.fromList });
  return (
    <Group mb="xs">
      <Button
        ml={-8}
        size="compact-sm"
        variant="subtle"
        leftSection={<IconArrowLeft size={14} />}
        renderRoot={(props) => (
          <Link
            {...props}
            to={to as LinkProps['to']}
            search={(from?.search ?? {}) as never}
            state={from === undefined ? {} : { pages: from.pages, scrolled: from.scrolled }}
            // The list restores its own scroll position.
            resetScroll={from === undefined}
            preload={false}
          />
        )}
      >
        {label}
      </Button>
    </Group>
  );
}

/** Shown for a URL without a record. @param text the reason: not an id, or no record has it */
export function NoSuchResource(props: { name: ResourceName; list: string; text: string }) {
  const { many, title } = props.name;
  return (
    <>
      <PageHeading title={title} />
      <StatePanel
        kind="no-match"
        title={`${title} not found`}
        text={props.text}
        actions={
          <Button
            variant="default"
            size="xs"
            renderRoot={(button) => <Link {...button} to={props.list as LinkProps['to']} />}
          >
            Search the {many}
          </Button>
        }
      />
    </>
  );
}

const FACTS = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Placeholder for header, tabs and facts while they load. */
export function DetailSkeleton({ label }: { label: string }) {
  return (
    <Stack gap="md" role="status" aria-busy aria-label={label}>
      <Skeleton height={18} width="min(24rem, 100%)" />
      <Group gap="sm">
        {FACTS.slice(1).map((tab) => (
          <Skeleton key={tab} height={28} width={90} />
        ))}
      </Group>
      <Paper withBorder p="md">
        <Stack gap="lg">
          {FACTS.map((fact) => (
            <Skeleton key={fact} height={16} />
          ))}
        </Stack>
      </Paper>
    </Stack>
  );
}

/** Paths below the page of a record, relative to it; '' for the page itself. */
type Rest<Path extends string, To = LinkProps['to']> = To extends `${Path}/$id${infer Below}` ? Below : never;

/** The part of a record's page that is specific to its resource. */
interface RecordPart<T, Path extends string, Raw, Key extends QueryKey> {
  query: RecordQuery<T, Raw, Key>;
  /** Whether a URL's id is well-formed; by default any but the empty one. */
  isId?: (id: string) => boolean;
  header: (record: T) => ReactNode;
  /** In display order, before the JSON; each is a child route, which has a component itself where none is given. */
  tabs: readonly (readonly [path: Rest<Path>, label: string, content?: ComponentType])[];
  /** A hook. */
  useCounts?: (record: T) => TabCounts;
  /** For the JSON tab: the JSON's source and what it lacks; `value` if not the record itself. */
  json: { about: string; value?: (record: T) => unknown };
}

/**
 * Makes the page of a record in all states: header and tabs; skeleton; failure, shown above data that has loaded before; not found.
 */
export function recordPage<T, Path extends string, Raw, Key extends QueryKey>(
  resource: ResourceDefinition<Path>,
  part: RecordPart<T, Path, Raw, Key>,
): ComponentType {
  const { to, label, title, one, needs, recordNeeds = needs[0] } = resource;
  const noSuch = (text: string): ReactNode => <NoSuchResource name={resource} list={to} text={text} />;

  const { useCounts = noCounts } = part;
  const tabs = [...part.tabs, ['/json', 'JSON', JsonTab]] as const;
  const contents = new Map(tabs.map(([path, , content]) => [`${to}/$id${path}`, content]));

  const Tabs = ({ id, record }: { id: string; record: T }) => (
    <DetailTabs
      label={title}
      of={`${to}/$id`}
      id={id}
      tabs={tabs.map(([path, text]) => [path, text] as const)}
      counts={useCounts(record)}
    />
  );

  function RecordById({ id }: { id: string }) {
    const { data: record, error, refetch, isFetching } = useQuery(part.query(id));
    if (error instanceof RequestError && error.status === 404)
      return noSuch(`No ${one} has this id. It may have been deleted.`);
    if (record === undefined)
      return (
        <>
          <PageHeading title={title} />
          {error === null ? (
            <DetailSkeleton label={`Loading the ${one}`} />
          ) : (
            <FailurePanel error={error} onRetry={() => void refetch()} />
          )}
        </>
      );
    return (
      <Stack gap="md">
        <div>
          {part.header(record)}
          <Tabs id={id} record={record} />
        </div>
        {error !== null && !isFetching && (
          <FailurePanel error={error} title="This may be out of date" onRetry={() => void refetch()} />
        )}
        <RecordContext
          value={{
            json: {
              label: `${capital(one)} as JSON`,
              about: part.json.about,
              value: part.json.value?.(record) ?? record,
            },
            tabs: contents,
          }}
        >
          <Outlet />
        </RecordContext>
      </Stack>
    );
  }

  return function RecordPage() {
    const { id = '' } = useParams({ strict: false });
    const may = useCan();
    const isId = part.isId?.(id) ?? id !== '';
    return (
      <>
        <BackToList to={to} label={label} />
        {!may(recordNeeds) ? (
          <NoAccessPage title={title} />
        ) : isId ? (
          <RecordById id={id} />
        ) : (
          noSuch(`This address does not contain ${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one} id.`)
        )}
      </>
    );
  };
}

function JsonTab() {
  const json = use(RecordContext)?.json;
  return json && <JsonText {...json} />;
}

const noCounts = (): TabCounts => ({});

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
