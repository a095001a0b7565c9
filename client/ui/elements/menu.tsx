import { Fragment, type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { ActionIcon } from './button.tsx';
import classes from './menu.module.css';
import { itemsIn, menuKey, usePressElsewhere } from './menu-keys.ts';

export interface MenuEntry {
  label: string;
  icon: ReactNode;
  /** Cannot be undone: set apart, and red. */
  final?: boolean | undefined;
  choose: () => void;
}

/** A button that opens a menu (WAI-ARIA Authoring Practices, menu button). The focus returns to it from the menu. */
export function MenuButton({
  label,
  icon,
  entries,
}: {
  label: string;
  icon: ReactNode;
  entries: readonly MenuEntry[];
}) {
  const [opened, setOpened] = useState<'first' | 'last'>();
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = (): void => {
    setOpened(undefined);
    button.current?.focus();
  };

  useLayoutEffect(() => {
    if (opened !== undefined)
      itemsIn(root.current)
        .at(opened === 'first' ? 0 : -1)
        ?.focus();
  }, [opened]);
  usePressElsewhere(root, opened !== undefined, () => setOpened(undefined));

  function onKeyDown(event: KeyboardEvent): void {
    const { key } = event;
    if (opened !== undefined) {
      menuKey(event, root.current, (focusBack) => (focusBack ? close() : setOpened(undefined)));
      return;
    }
    if (key !== 'ArrowDown' && key !== 'ArrowUp') return;
    setOpened(key === 'ArrowDown' ? 'first' : 'last');
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div ref={root} className={classes.root}>
      <ActionIcon
        ref={button}
        id={id}
        variant="default"
        size={36}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={opened !== undefined}
        onClick={() => (opened === undefined ? setOpened('first') : close())}
        onKeyDown={onKeyDown}
      >
        {icon}
      </ActionIcon>
      {opened !== undefined && (
        <div role="menu" aria-labelledby={id} className={classes.menu} onKeyDown={onKeyDown}>
          {entries.map((entry) => (
            <Fragment key={entry.label}>
              {entry.final && <hr className={classes.line} />}
              <button
                type="button"
                role="menuitem"
                tabIndex={-1}
                className={classes.item}
                data-final={entry.final || undefined}
                onClick={() => {
                  close();
                  entry.choose();
                }}
              >
                {entry.icon}
                {entry.label}
              </button>
            </Fragment>
          ))}
        </div>
      )}
    </div>
  );
}
