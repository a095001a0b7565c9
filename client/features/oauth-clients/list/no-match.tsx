import { Button, Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';

const route = getRouteApi('/signed-in/oauth/clients');

/** A search without a match, and what else the text may be. */
export function NoMatch({ name, owner }: { name: string | undefined; owner: string | undefined }) {
  const navigate = route.useNavigate();
  const text = name ?? owner ?? '';
  const look = (search: { name?: string; owner?: string }) => void navigate({ search });
  return (
    <EmptyState
      kind="no-match"
      title="No client has this name or owner"
      text="The whole text must match, upper and lower case too; the OAuth server has no other search. It may also be something else:"
      actions={
        <Group gap="xs" justify="center">
          <Button size="xs" onClick={() => void navigate({ to: '/oauth/clients/$id', params: { id: text } })}>
            Open as client id
          </Button>
          {owner === undefined && (
            <Button size="xs" variant="default" onClick={() => look({ owner: text })}>
              Search as owner
            </Button>
          )}
          {name === undefined && (
            <Button size="xs" variant="default" onClick={() => look({ name: text })}>
              Search as name
            </Button>
          )}
          <Button size="xs" variant="default" onClick={() => look({})}>
            Clear the search
          </Button>
        </Group>
      }
    />
  );
}
