import { Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type LinkProps, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { RequestError } from '../../api/request-error.ts';
import { FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import type { ResourceName } from '../resource-name.ts';
import { DetailSkeleton } from './detail-skeleton.tsx';
import { NoSuchResource } from './no-such-resource.tsx';

/**
 * A resource in all states of its query: header and tabs, of which the open one is the child route's; a skeleton; a
 * failure, above what is known; nothing there.
 */
export function DetailPage<T>(props: {
  name: ResourceName;
  list: LinkProps['to'];
  result: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch' | 'isFetching'>;
  header: (resource: T) => ReactNode;
  tabs: ReactNode;
}) {
  const { name } = props;
  const { data: resource, error, refetch, isFetching } = props.result;
  if (error instanceof RequestError && error.status === 404)
    return (
      <NoSuchResource name={name} list={props.list} text={`No ${name.one} has this id. It may have been deleted.`} />
    );
  if (resource === undefined) {
    return (
      <>
        <PageHeading title={name.title} />
        {error === null ? (
          <DetailSkeleton label={`Loading the ${name.one}`} />
        ) : (
          <FailurePanel error={error} onRetry={() => void refetch()} />
        )}
      </>
    );
  }
  return (
    <Stack gap="md">
      <div>
        {props.header(resource)}
        {props.tabs}
      </div>
      {error !== null && !isFetching && (
        <FailurePanel error={error} title="What is shown may be out of date" onRetry={() => void refetch()} />
      )}
      <Outlet />
    </Stack>
  );
}
