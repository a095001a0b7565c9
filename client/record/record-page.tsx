import { Stack } from '@mantine/core';
import { type QueryKey, useQuery } from '@tanstack/react-query';
import { Link, type LinkProps, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useEffect } from 'react';
import { recordReference } from '../../shared/records.ts';
import { RequestError } from '../api/request.ts';
import { useCan, useOperator } from '../api/session.ts';
import { hasPage } from '../deployment.ts';
import { addRecent } from '../lib/recents.ts';
import { capitalised } from '../lib/visible-text.ts';
import type { ResourceDefinition } from '../list/resource.ts';
import { LinkButton } from '../ui/buttons.tsx';
import { JsonText } from '../ui/facts.tsx';
import { FailurePanel } from '../ui/failure-panel.tsx';
import { PageHeading } from '../ui/layout.tsx';
import { LoadingRows } from '../ui/loading.tsx';
import { GuardedPage, StatePanel } from '../ui/state-panel.tsx';
import { BackToList, type PagesOfList } from './list-steps.tsx';
import classes from './record.module.css';
import { Star } from './star.tsx';
import { BackLink, HeadingFacts, type RecordQuery, RecordTabs, type TabCounts, TabRow, tabClass } from './tabs.tsx';

/** Tab paths, relative to the record's page; '' for that page itself. */
type Rest<Path extends string, To = LinkProps['to']> = To extends `${Path}/$id${infer Below}` ? Below : never;

/** The part of a record page that is specific to its resource. */
interface RecordPart<T, Path extends string, Raw, Key extends QueryKey> {
  query: RecordQuery<T, Raw, Key>;
  /** For steps through the list; without it, there are none. */
  list?: PagesOfList;
  /** Whether an id in the URL is well-formed; by default, any non-empty id. */
  isId?: (id: string) => boolean;
  header: (record: T) => ReactNode;
  /**
   * In display order; the JSON tab comes last. Each tab is a child route, with its own component if `content` is
   * missing.
   */
  tabs: readonly (readonly [path: Rest<Path>, label: string, content?: ComponentType])[];
  useCounts?: (record: T) => TabCounts;
  /**
   * For the JSON tab. `about` says where the JSON is from and what it omits; `value` is needed if it differs from the
   * record.
   */
  json: { about: ReactNode; value?: (record: T) => unknown };
}

/**
 * Creates the page of a record: header and tabs, or a skeleton, “not found” or an error. If data has loaded before, the
 * error is shown above the open tab.
 */
export function recordPage<T, Path extends string, Raw, Key extends QueryKey>(
  resource: ResourceDefinition<Path>,
  part: RecordPart<T, Path, Raw, Key>,
): ComponentType {
  const { to, title, one, many, needs } = resource;
  const noSuch = (text: string): ReactNode => (
    <>
      <PageHeading title={title} />
      <StatePanel
        kind="no-match"
        title={`${title} not found`}
        text={text}
        actions={
          <LinkButton variant="default" size="xs" to={to as LinkProps['to']}>
            Search the {many}
          </LinkButton>
        }
      />
    </>
  );

  const { useCounts = (): TabCounts => ({}) } = part;
  const tabs: readonly (readonly [path: string, label: string, content?: ComponentType])[] = [
    ...part.tabs,
    ['/json', 'JSON'],
  ];

  function CountedTabs({ id, record }: { id: string; record: T }) {
    return <Tabs id={id} counts={useCounts(record)} />;
  }

  function Tabs({ id, counts = {} }: { id: string; counts?: TabCounts }) {
    const ofDeployment = tabs.filter(([path]) => hasPage(to + path));
    return (
      <TabRow label={title}>
        {ofDeployment.map(([path, text], index) => (
          <Link
            key={path}
            {...({ to: `${to}/$id${path}` as string, params: { id } } as LinkProps)}
            // Keeps the link back to the list, which is part of the history state.
            state={(current) => current}
            activeOptions={{ exact: index === 0, includeSearch: false }}
            className={tabClass}
            aria-description={counts[path]}
          >
            {text}
            {path in counts && (
              <span className={classes.count} aria-hidden>
                {counts[path]}
              </span>
            )}
          </Link>
        ))}
      </TabRow>
    );
  }

  const contentsOf = (record: T): ReadonlyMap<string, ReactNode> =>
    new Map([
      ...tabs.map(([path, , Content]) => [`${to}/$id${path}`, Content && <Content />] as const),
      [
        `${to}/$id/json`,
        <JsonText
          key="json"
          label={`${capitalised(one)} as JSON`}
          about={part.json.about}
          value={part.json.value?.(record) ?? record}
        />,
      ],
    ]);

  function RecordById({ id }: { id: string }) {
    const { data: record, error, refetch, isFetching } = useQuery(part.query(id));
    const { identityId: operator } = useOperator();
    const isLoaded = record !== undefined;
    useEffect(() => {
      const reference = recordReference(one, id);
      if (isLoaded && reference !== undefined) addRecent(operator, reference);
    }, [isLoaded, id, operator]);
    if (error instanceof RequestError && error.status === 404)
      return noSuch(`No ${one} has this ID. It may have been deleted.`);
    if (record === undefined)
      return (
        <>
          {/* As high as that of the record. */}
          <div className={classes.header}>
            <PageHeading title={title} about={<HeadingFacts />} actions="" />
          </div>
          {error === null ? (
            <Stack gap="md">
              <Tabs id={id} />
              <LoadingRows label={`Loading the ${one}`} rows={6} height={36} />
            </Stack>
          ) : (
            <FailurePanel error={error} onRetry={() => void refetch()} />
          )}
        </>
      );
    return (
      <Stack gap="md">
        <div>
          <div className={classes.header}>{part.header(record)}</div>
          <CountedTabs id={id} record={record} />
        </div>
        {error !== null && !isFetching && (
          <FailurePanel error={error} title="This may be out of date" onRetry={() => void refetch()} />
        )}
        <RecordTabs value={contentsOf(record)}>
          <Outlet />
        </RecordTabs>
      </Stack>
    );
  }

  return function RecordPage() {
    const { id = '' } = useParams({ strict: false });
    const may = useCan();
    const isEdited = useLocation({ select: ({ pathname }) => pathname.endsWith('/edit') });
    const isId = part.isId?.(id) ?? id !== '';
    const reference = recordReference(one, id);
    const needed = isEdited ? 'upstreams.write' : needs[0];
    return (
      <>
        {isEdited ? (
          <BackLink
            label={title}
            {...({ to: `${to}/$id` as string, params: { id } } as Omit<LinkProps, 'children'>)}
            state
          />
        ) : (
          <BackToList resource={resource as ResourceDefinition} list={part.list} id={id}>
            {reference !== undefined && may(needed) && <Star record={reference} />}
          </BackToList>
        )}
        {!may(needed) ? (
          <GuardedPage open={false} needs={[needed]} title={title} />
        ) : isId ? (
          <RecordById id={id} />
        ) : (
          noSuch(`This address does not contain a valid ${one} ID.`)
        )}
      </>
    );
  };
}
