import { Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { visibleText } from '../../format/visible-text.ts';

/** Says that the list is narrowed down to one client, and how to see all. */
export const OnlyClient = ({ id }: { id: string }) => (
  <Group gap="xs">
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      Only what was granted to <bdi>{visibleText(id)}</bdi>
    </Text>
    <Button
      size="compact-sm"
      variant="default"
      renderRoot={(props) => (
        <Link {...props} to="/oauth/consents" search={({ subject }) => ({ subject })} preload={false} />
      )}
    >
      Show all clients
    </Button>
  </Group>
);
