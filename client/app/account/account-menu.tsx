import { type KeyboardEvent, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { roleName } from '../../../shared/capabilities.ts';
import { useOwnSession } from '../../api/session.ts';
import { deploymentName, environmentLabel } from '../../deployment.ts';
import { offset, timeOfDay } from '../../format/english-time.ts';
import { type ColorScheme, chooseScheme, useColorScheme } from '../../lib/color-scheme.ts';
import { minutesAhead, zoneName } from '../../lib/time-zone.ts';
import { Badge } from '../../ui/elements/feedback.tsx';
import menu from '../../ui/elements/menu.module.css';
import { itemsIn, menuKey, usePressElsewhere } from '../../ui/elements/menu-keys.ts';
import { IconLogout } from '../../ui/icons.ts';
import { lazyDialog } from '../../ui/loading/lazy-part.tsx';
import { useSignOut } from '../use-sign-out.ts';
import { IconClock, IconDeviceDesktop, IconKeyboard, IconMoon, IconSun } from './account-icons.ts';
import classes from './account-menu.module.css';

const ZoneDialog = lazyDialog(() => import('./zone-dialog.tsx'), 'ZoneDialog');

const SCHEMES = [
  { scheme: 'auto', label: 'As the system', icon: IconDeviceDesktop },
  { scheme: 'light', label: 'Light', icon: IconSun },
  { scheme: 'dark', label: 'Dark', icon: IconMoon },
] as const satisfies readonly { scheme: ColorScheme; label: string; icon: unknown }[];

/** @param props.root the button that opens it and the menu itself */
export function AccountMenu(props: {
  root: RefObject<HTMLDivElement | null>;
  onClose: (focusBack?: boolean) => void;
  onShortcuts: () => void;
}) {
  const { root, onClose } = props;
  const {
    user: { email, role },
    expiry,
  } = useOwnSession();
  const scheme = useColorScheme();
  const { signOut, pending } = useSignOut();
  const [choosingZone, setChoosingZone] = useState(false);
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => itemsIn(panel.current)[0]?.focus(), []);
  usePressElsewhere(root, !choosingZone, () => onClose(false));
  if (choosingZone) return <ZoneDialog onClose={onClose} />;
  const onKeyDown = (event: KeyboardEvent): void => void menuKey(event, panel.current, onClose);
  return (
    <div ref={panel} className={`${menu.menu} ${classes.panel}`}>
      <p className={classes.operator}>
        <strong>{email}</strong>
        <Badge component="span" size="sm" variant="default" tt="none" fw={500}>
          {roleName(role)}
        </Badge>
        <span>{[deploymentName, environmentLabel].filter(Boolean).join(' · ')}</span>
        {expiry !== undefined && (
          <span>Signed in until {timeOfDay(new Date(expiry.at), Date.now() + expiry.clockAheadMs)}</span>
        )}
      </p>
      <div role="menu" aria-label="Account" onKeyDown={onKeyDown}>
        <hr className={menu.line} />
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a menu */}
        <div role="group" aria-label="Colours">
          {SCHEMES.map(({ scheme: one, label, icon: Icon }) => (
            <button
              key={one}
              type="button"
              role="menuitemradio"
              aria-checked={scheme === one}
              tabIndex={-1}
              className={menu.item}
              onClick={() => chooseScheme(one)}
            >
              <Icon />
              {label}
            </button>
          ))}
        </div>
        <hr className={menu.line} />
        <Item icon={<IconClock />} onChoose={() => setChoosingZone(true)}>
          Time zone…
          <small className={classes.now}>
            {zoneName()} ({offset(minutesAhead(new Date()))})
          </small>
        </Item>
        <Item
          icon={<IconKeyboard />}
          onChoose={() => {
            onClose();
            props.onShortcuts();
          }}
        >
          Keyboard shortcuts
        </Item>
        <hr className={menu.line} />
        <Item icon={<IconLogout />} onChoose={() => void signOut()}>
          {pending ? 'Signing out…' : 'Sign out'}
        </Item>
      </div>
    </div>
  );
}

const Item = (props: { icon: ReactNode; onChoose: () => void; children: ReactNode }) => (
  <button type="button" role="menuitem" tabIndex={-1} className={menu.item} onClick={props.onChoose}>
    {props.icon}
    <span>{props.children}</span>
  </button>
);
