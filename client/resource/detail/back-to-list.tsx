import { Button, Group } from '@mantine/core';
import { Link, type LinkProps, useLocation } from '@tanstack/react-router';
import { IconArrowLeft } from '../icons.ts';

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
