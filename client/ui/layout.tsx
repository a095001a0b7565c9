import { Anchor, type AnchorProps, Group, Paper, Text, type TextProps, Title } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { deployment, deploymentName, environmentLabel } from '../deployment.ts';
import { visibleText } from '../lib/visible-text.ts';
import { withBreaks } from '../lib/with-breaks.tsx';
import classes from './ui.module.css';

/**
 * The page's only `h1`, its tab title and its actions. Render it in every state, including pending: the shell focuses
 * it after navigation.
 * @param props.about a string becomes a tooltip; elements appear beside the title
 */
export function PageHeading({ title, about, actions }: { title: string; about?: ReactNode; actions?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  usePageTitle(title);
  useLayoutEffect(() => {
    const { current } = heading;
    if (lostFocus && document.activeElement === document.body) current?.focus({ preventScroll: true });
    lostFocus = false;
    return () => {
      lostFocus = current === document.activeElement;
    };
  }, []);
  return (
    <Group gap="0.5rem" mih="2.25rem" mb="0.625rem">
      <Title ref={heading} order={1} tabIndex={-1} title={visibleText(title)} data-page-heading>
        <bdi>{withBreaks(visibleText(title))}</bdi>
      </Title>
      {typeof about === 'string' ? (
        <span className={classes.about} data-unprinted>
          <button type="button" aria-label="About this page" aria-describedby={id}>
            ?
          </button>
          <span role="tooltip" id={id}>
            {about}
          </span>
        </span>
      ) : (
        about
      )}
      {actions !== undefined && (
        <Group gap="0.5rem" mih="2.25rem" ml="auto" className={classes.pageActions}>
          {actions}
        </Group>
      )}
    </Group>
  );
}

/** Whether a focused heading was removed: its replacement, for example after loading, takes the focus. */
let lostFocus = false;

/** The tab title always names the deployment, since two dashboards may be open side by side. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = [visibleText(title), deploymentName, environmentLabel].filter(Boolean).join(' · ');
  }, [title]);
}

/** A section with a heading. @param actions next to the heading */
export function Section(props: {
  title: string;
  id?: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Paper withBorder p="md" component="section" id={props.id} aria-label={props.title}>
      <Group justify="space-between" wrap="nowrap" mb={props.about === undefined ? 'sm' : 0}>
        <Title order={2}>{props.title}</Title>
        {props.actions}
      </Group>
      {props.about !== undefined && (
        <Dimmed size="xs" mb="sm">
          {props.about}
        </Dimmed>
      )}
      {props.children}
    </Paper>
  );
}

export const Dimmed = (props: TextProps & Omit<ComponentProps<'p'>, keyof TextProps>) => (
  <Text size="sm" c="dimmed" {...props} />
);

/** A link that is never marked as the current page: the mark is for navigation, tabs and breadcrumbs. */
export const PlainLink = createLink(({ 'aria-current': _, ...link }: ComponentProps<'a'>) => <a {...link} />);

export const TextLink = createLink((props: AnchorProps & ComponentProps<'a'>) => <Anchor {...props} />);

export function DeploymentBadge() {
  return (
    <span className={classes.badge} data-deployment={deployment}>
      <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="currentColor" opacity="0.28" />
        {/* A person or a briefcase, since not everyone can tell the colours apart. */}
        <path d={deployment === 'customer' ? PERSON : BRIEFCASE} fill="currentColor" />
      </svg>
      {deploymentName}
      {environmentLabel !== undefined && (
        <span className={classes.environment} data-production={/^prod/i.test(environmentLabel) || undefined}>
          {environmentLabel}
        </span>
      )}
    </span>
  );
}

const PERSON = 'M16 7.5a4.5 4.5 0 0 1 0 9 4.5 4.5 0 0 1 0-9zM7.5 25a8.5 8.5 0 0 1 17 0z';
const BRIEFCASE =
  'M12 11V8.5A1.5 1.5 0 0 1 13.5 7h5A1.5 1.5 0 0 1 20 8.5V11h5v5.5H7V11zm2 0h4V9h-4zM7 18h7v2h4v-2h7v6H7z';
