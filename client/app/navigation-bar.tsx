import { Link } from '@tanstack/react-router';
import { startTransition, useEffect, useState } from 'react';
import { holdersOf, roleName } from '../../shared/capabilities.ts';
import { useCan, useOperator } from '../api/session.ts';
import { ActionIcon, Button } from '../ui/elements/button.tsx';
import { Badge } from '../ui/elements/feedback.tsx';
import { Group } from '../ui/elements/layout.tsx';
import { Text, VisuallyHidden } from '../ui/elements/text.tsx';
import { IconKeyboard, IconLock, IconLogout } from '../ui/icons.ts';
import { PAGES } from './navigation.ts';
import classes from './shell.module.css';
import { useSignOut } from './use-sign-out.ts';

/** Rendered just after the page itself, which matters more; both at once would block the browser for too long. */
export function Navigation({ id, open, onShortcuts }: { id: string; open: boolean; onShortcuts: () => void }) {
  const [pageDrawn, setPageDrawn] = useState(false);
  useEffect(() => startTransition(() => setPageDrawn(true)), []);
  return (
    <nav id={id} className={classes.navigation} aria-label="Pages" data-open={open || undefined}>
      {pageDrawn && <Links onShortcuts={onShortcuts} />}
    </nav>
  );
}

function Links({ onShortcuts }: { onShortcuts: () => void }) {
  const operator = useOperator();
  const may = useCan();
  const { signOut, pending } = useSignOut();
  return (
    <>
      <ul className={classes.pages}>
        {PAGES.map(({ to, label, icon: Icon, needs }) => {
          const holders = needs.some(may) ? undefined : holdersOf(needs);
          return (
            <li key={to}>
              <Link to={to} className={classes.page} title={holders && `For ${holders}`}>
                <Icon size={18} stroke={1.7} />
                {label}
                {holders && (
                  <>
                    <IconLock className={classes.lock} size={14} />
                    <VisuallyHidden>(for {holders})</VisuallyHidden>
                  </>
                )}
              </Link>
            </li>
          );
        })}
      </ul>
      <div className={classes.operator}>
        <div>
          <Text size="sm" fw={500} className={classes.email}>
            {operator.email}
          </Text>
          <Badge size="sm" variant="default" tt="none" fw={500}>
            {roleName(operator.role)}
          </Badge>
        </div>
        <Group gap="xs" wrap="nowrap">
          <Button
            size="xs"
            flex={1}
            variant="default"
            leftSection={<IconLogout size={14} />}
            loading={pending}
            onClick={() => void signOut()}
          >
            Sign out
          </Button>
          <ActionIcon variant="default" size={30} aria-label="Shortcuts" title="Shortcuts (?)" onClick={onShortcuts}>
            <IconKeyboard />
          </ActionIcon>
        </Group>
      </div>
    </>
  );
}
