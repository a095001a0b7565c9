import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { identityQuery } from '../../api/identities-record.ts';
import { useCan } from '../../api/session.ts';
import { displayName } from '../../format/identity-name.ts';
import { REFUSED } from '../../ui/feedback/closed-page.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { ForbiddenPanel } from '../../ui/feedback/failure-panel.tsx';
import { SubjectConsents } from './subject-consents.tsx';

const route = getRouteApi('/signed-in/identities/$id/consents');

/** On the page of an identity: the consents with its id as the subject. */
export function ConsentsTab() {
  const { id } = route.useParams();
  const { data: identity } = useQuery({ ...identityQuery(id), enabled: false });
  const may = useCan();
  if (!may('upstreams.read')) return <ForbiddenPanel error={REFUSED} />;
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        What was granted with this identity’s id as the OAuth subject. If your login page uses another subject,{' '}
        <Anchor
          inherit
          underline="always"
          renderRoot={(props) => <Link {...props} to="/oauth/consents" search={{}} preload={false} />}
        >
          look that one up
        </Anchor>
        .
      </Text>
      <SubjectConsents
        subject={id}
        whose={identity === undefined ? id : displayName(identity)}
        nothing={
          <EmptyState
            kind="no-data"
            title="No consents"
            text="This person has granted nothing to any application, or all of it is revoked."
          />
        }
      />
    </Stack>
  );
}
