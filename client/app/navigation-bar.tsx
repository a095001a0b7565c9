import { ActionIcon, Badge, Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { IconKeyboard, IconLock, IconLogout } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useOperator } from '../api/session.ts';
import { PAGES } from './navigation.ts';
import classes from './shell.module.css';
import { useSignOut } from './use-sign-out.ts';

export function Navigation({ id, open, onShortcuts }: { id: string; open: boolean; onShortcuts: () => void }) {
  const operator = useOperator();
  const { signOut, pending } = useSignOut();
  return (
    <nav id={id} className={classes.navigation} aria-label="Pages" data-open={open || undefined}>
      <ul className={classes.pages}>
        {PAGES.map(({ to, label, icon: Icon, admin }) => {
          const closed = admin && operator.role !== 'admin';
          return (
            <li key={to}>
              <Link to={to} className={classes.page} title={closed ? 'For administrators' : undefined}>
                <Icon size={18} stroke={1.7} aria-hidden />
                {label}
                {closed && (
                  <>
                    <IconLock className={classes.lock} size={14} aria-hidden />
                    <VisuallyHidden>(for administrators)</VisuallyHidden>
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
            {operator.role === 'admin' ? 'Administrator' : 'Viewer'}
          </Badge>
        </div>
        <Group gap="xs" wrap="nowrap">
          <Button
            size="xs"
            flex={1}
            variant="default"
            leftSection={<IconLogout size={14} aria-hidden />}
            loading={pending}
            onClick={() => void signOut()}
          >
            Sign out
          </Button>
          <ActionIcon variant="default" size={30} aria-label="Keys" title="Keys (?)" onClick={onShortcuts}>
            <IconKeyboard size={16} aria-hidden />
          </ActionIcon>
        </Group>
      </div>
    </nav>
  );
}
