import { Button, Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Circle } from '../../../api/sessions.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';

const route = getRouteApi('/signed-in/sessions');

/** The filter hides every session. */
export function NoMatch({ circle }: { circle: Circle | undefined }) {
  const navigate = route.useNavigate();
  const search = route.useSearch();
  return (
    <EmptyState
      kind="no-match"
      title={circle === undefined ? 'No active sessions' : 'No sessions match'}
      text={
        circle === undefined
          ? 'Nobody is signed in. There may be sessions that have ended.'
          : 'They may have ended since the map was drawn, or the link is from another day.'
      }
      actions={
        <Group gap="xs" justify="center">
          {search.active !== undefined && (
            <Button size="xs" onClick={() => void navigate({ search: ({ active: _, ...rest }) => rest, state: {} })}>
              Show ended ones too
            </Button>
          )}
          {circle !== undefined && (
            <Button
              size="xs"
              variant="default"
              onClick={() => void navigate({ search: ({ active, page_size }) => ({ active, page_size }), state: {} })}
            >
              Show sessions from everywhere
            </Button>
          )}
        </Group>
      }
    />
  );
}
