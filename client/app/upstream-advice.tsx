import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { UpstreamName } from '../../shared/upstreams.ts';
import type { RequestError } from '../api/request-error.ts';
import { serviceStateQuery } from '../api/service-state.ts';
import { useCan } from '../api/session.ts';
import { problemInWords } from './service-problem.ts';

/** What the check of the upstream behind a failed call finds, in the place of the `children`. */
export function UpstreamAdvice(props: { service: UpstreamName; error: RequestError; children: ReactNode }) {
  const { service, error } = props;
  const { data } = useQuery(serviceStateQuery(service));
  const may = useCan();
  const words = data && problemInWords(service, data, error.status);
  if (words === undefined) return props.children;
  return (
    <>
      <Text size="sm">
        {words.what} {words.helps}{' '}
        {words.setting === undefined ? (
          may('configuration.read') && (
            <Anchor size="sm" renderRoot={(link) => <Link {...link} to="/system" />}>
              See the System page
            </Anchor>
          )
        ) : may('settings.read') ? (
          <Anchor
            size="sm"
            renderRoot={(link) => <Link {...link} to="/settings" search={{ key: words.setting }} preload={false} />}
          >
            Open this setting
          </Anchor>
        ) : null}
      </Text>
      {/* What the upstream itself gave as its reason. */}
      {error.code === 'upstream_error' && props.children}
    </>
  );
}
