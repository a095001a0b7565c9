import { ActionIcon, Alert, Loader } from '@mantine/core';
import { useClickOutside } from '@mantine/hooks';
import { useSearch } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useLayoutEffect, useRef } from 'react';
import { SEARCH_MAX_CHARACTERS } from '../../shared/identities.ts';
import { formatAge } from '../lib/format-time.ts';
import { GuardedButton } from '../ui/buttons.tsx';
import { useNow, usePageKeys } from '../ui/hooks.tsx';
import { IconRefresh } from '../ui/shell-icons.tsx';
import { useList } from './cursor-list.ts';
import type { PagedSearch } from './resource.ts';
import classes from './toolbar.module.css';

/** The row above a list. @param props.end at the right: views, columns, refresh */
export const Toolbar = (props: { children: ReactNode; end?: ReactNode }) => (
  <div className={classes.toolbar} data-unprinted>
    {props.children}
    {props.end && <div className={classes.end}>{props.end}</div>}
  </div>
);

/** Above a list: what `strictSearch` has left out of the link. */
export function InvalidInLink() {
  const { invalid }: PagedSearch = useSearch({ strict: false });
  const named = `The link has invalid values, which were left out: ${invalid?.replaceAll(',', ', ')}.`;
  const tooLong = `This search is too long (${SEARCH_MAX_CHARACTERS} characters at most).`;
  return invalid && <Alert role="alert" color="orange" mb="sm" title={invalid === 'q' ? tooLong : named} />;
}

/**
 * A button of the toolbar that opens a panel below it. Escape, a click elsewhere or leaving with Tab closes the panel.
 * @param props.panel renders the panel, which takes the focus; `close` closes it and focuses the button
 * @param props.after content after the button
 * @param props.box class of the element around the button, the panel and `after`
 */
export function PopoverButton(
  props: ComponentProps<typeof GuardedButton> & {
    open: boolean;
    setOpen: (open: boolean) => void;
    panel: (close: () => void) => ReactNode;
    after?: ReactNode;
    box?: string | undefined;
  },
) {
  const { open, setOpen, panel, after, box = '', ...button } = props;
  const area = useClickOutside<HTMLDivElement>(() => open && setOpen(false));
  const close = (): void => {
    setOpen(false);
    area.current?.querySelector('button')?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles keys pressed in its controls
    <div
      ref={area}
      className={`${classes.popover} ${box}`}
      data-open={open || undefined}
      onKeyDown={(event) => {
        if (!open || event.key !== 'Escape') return;
        event.stopPropagation();
        close();
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (open && relatedTarget !== null && !currentTarget.contains(relatedTarget)) setOpen(false);
      }}
    >
      <GuardedButton
        variant="default"
        classNames={{ label: classes.label }}
        {...button}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      />
      {after}
      {open && panel(close)}
    </div>
  );
}

/** The panel of a `PopoverButton`, moved if it would leave the screen. */
export function PopoverPanel({ label, children }: { label: string; children: ReactNode }) {
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = panel;
    if (current === null) return;
    const place = (): void => {
      current.style.translate = '';
      const excess = current.getBoundingClientRect().right - (document.documentElement.clientWidth - EDGE_PX);
      if (excess > 0) current.style.translate = `${-excess}px`;
    };
    // Move the panel before focusing it: the page would scroll to a panel outside of the screen.
    place();
    const first = current.querySelector<HTMLElement>('[aria-selected=true]');
    if (!current.contains(document.activeElement))
      (first ?? current.querySelector<HTMLElement>('[role=option], a, input, button') ?? current).focus();
    // The panel may grow with its content.
    const observer = new ResizeObserver(place);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={panel} role="dialog" aria-label={label} tabIndex={-1} className={classes.panel}>
      {children}
    </div>
  );
}

const EDGE_PX = 8;

/** Reloads the list, also on the key `r`. */
export function RefreshButton() {
  const { reload, fetching, pending } = useList();
  const updated = useUpdated();
  usePageKeys((key) => (key === 'r' ? reload : undefined));
  return (
    <ActionIcon
      variant="default"
      aria-label="Refresh"
      title={updated ? `Refresh (r): ${updated}` : 'Refresh (r)'}
      aria-keyshortcuts="r"
      onClick={reload}
    >
      {fetching && !pending ? <Loader size={16} /> : <IconRefresh />}
    </ActionIcon>
  );
}

/** “updated 20 s ago”; empty before the list loads. */
export function useUpdated(): string {
  const { readAt } = useList();
  const now = useNow();
  return readAt > 0 ? `updated ${formatAge(now - readAt)}` : '';
}
