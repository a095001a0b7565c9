import { Stack } from '@mantine/core';
import { type QueryKey, useQuery } from '@tanstack/react-query';
import { type LinkProps, Outlet, useParams } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, use } from 'react';
import { RequestError } from '../../api/request-error.ts';
import { useCan } from '../../api/session.ts';
import { ClosedPage } from '../../ui/feedback/closed-page.tsx';
import { FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { JsonText } from '../../ui/json-text.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import type { ResourceDefinition } from '../define-resource.ts';
import { BackToList } from './back-to-list.tsx';
import { DetailSkeleton } from './detail-skeleton.tsx';
import { DetailTabs, type TabCounts } from './detail-tabs.tsx';
import { NoSuchResource } from './no-such-resource.tsx';
import { RecordContext, type RecordQuery } from './use-record.tsx';

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
          <ClosedPage title={title} />
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
