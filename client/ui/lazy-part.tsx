import { Alert, Button, Group, Text } from '@mantine/core';
import { type AsyncRouteComponent, CatchBoundary, type lazyRouteComponent } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, Suspense, use, useEffect, useState } from 'react';
import { onOnline } from '../lib/on-online.ts';
import { reloadKeepingDrafts } from '../lib/sign-in.ts';
import { canStore } from '../lib/tab-storage.ts';
import { IconPlugConnectedX, IconRefresh } from './shell-icons.tsx';
import classes from './ui.module.css';

type Load = () => Promise<Record<string, unknown>>;

/**
 * A page that loads on demand. If loading fails, it throws `MissingPart` during render; the error's `forget` allows
 * another attempt. (The router's `lazyRouteComponent` would reload the page and lose unsaved input.)
 */
export const lazyPage = function lazyPage(load: Load, name: string) {
  let Loaded: ComponentType<object> | undefined;
  let loading: Promise<void> | undefined;
  let missing: MissingPart | undefined;
  let hasFailed = false;

  const attempt = async (): Promise<void> => {
    try {
      if (hasFailed) await reloadFailedStyles();
      Loaded = (await load())[name] as ComponentType<object>;
    } catch (cause) {
      missing = new MissingPart(cause, forget);
    }
  };
  const start = (): Promise<void> => {
    const started = attempt();
    // React reads `status`, so that a preloaded component does not suspend.
    void started.then(() => Object.assign(started, { status: 'fulfilled' }));
    return started;
  };
  const forget = (): void => {
    loading = undefined;
    missing = undefined;
    hasFailed = true;
  };
  const preload = (): Promise<void> => {
    if (missing !== undefined) forget();
    loading ??= start();
    return loading;
  };
  function LazyPage(props: object): ReactNode {
    loading ??= start();
    use(loading);
    if (Loaded === undefined) throw missing;
    return <Loaded {...props} />;
  }
  return Object.assign(LazyPage, { preload });
} as typeof lazyRouteComponent;

/**
 * A component that loads on demand. If it fails to load or crashes, the rest of the page stays: a panel replaces it, or
 * for a dialog a notice in the corner, whose dismissal calls `onClose`.
 * @param fallback while loading; omit for a dialog
 */
export const lazyPart = function lazyPart(load: Load, name: string, fallback?: ReactNode) {
  const Part = lazyPage(load, name) as unknown as AsyncRouteComponent<object>;
  /** @param props.quiet hides failures, for a component that the operator did not open */
  function LazyPart(props: { onClose?: () => void; quiet?: boolean }): ReactNode {
    const { onClose, quiet } = props;
    return (
      <CatchBoundary
        getResetKey={() => name}
        errorComponent={({ error, reset }) =>
          fallback !== undefined ? (
            <MissingPartPanel error={error} onRetry={reset} quiet={quiet} />
          ) : (
            <div className={classes.corner}>
              <MissingPartPanel error={error} onRetry={reset} onDismiss={onClose && (() => onClose())} />
            </div>
          )
        }
      >
        <Suspense fallback={fallback}>
          <Part {...props} />
        </Suspense>
      </CatchBoundary>
    );
  }
  return Object.assign(LazyPart, { preload: Part.preload });
} as <Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  fallback?: ReactNode,
) => Module[Name] extends (props: infer Props) => ReactNode ? AsyncRouteComponent<Props & { quiet?: boolean }> : never;

/** Reloads style sheets that failed to load, which the bundler never does. */
async function reloadFailedStyles(): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')];
  await Promise.all(links.filter(({ sheet }) => sheet === null).map(reload));
}

function reload(link: HTMLLinkElement): Promise<void> {
  return new Promise((resolve, reject) => {
    const again = link.cloneNode() as HTMLLinkElement;
    again.addEventListener('load', () => resolve());
    again.addEventListener('error', () => reject(new Error('A style sheet failed to load.')));
    link.replaceWith(again);
  });
}

/**
 * Says that a component is missing or has crashed; offers to retry, or to reload into a new version. Retries once the
 * browser is back online.
 */
export function MissingPartPanel(props: {
  error: unknown;
  quiet?: boolean | undefined;
  onRetry?: (() => void) | undefined;
  onDismiss?: (() => void) | undefined;
}) {
  const { error, quiet, onRetry, onDismiss } = props;
  const isMissing = error instanceof MissingPart;
  const [isOutdated, setOutdated] = useState(false);
  useEffect(() => {
    if (!(error instanceof MissingPart)) return;
    let current = true;
    void hasNewVersion().then((found) => current && setOutdated(found));
    return () => {
      current = false;
    };
  }, [error]);
  useEffect(() => {
    if (!(error instanceof MissingPart) || onRetry === undefined) return;
    return onOnline(() => {
      error.forget();
      onRetry();
    });
  }, [error, onRetry]);
  if (quiet) return null;
  // The component loads again now, or the next time it is opened.
  const forgetAnd = (act: (() => void) | undefined) => (): void => {
    if (isMissing) error.forget();
    act?.();
  };
  return (
    <Alert
      role="alert"
      variant="default"
      icon={isOutdated ? <IconRefresh size={24} /> : <IconPlugConnectedX size={24} />}
      title={
        isOutdated
          ? 'A new version is available'
          : isMissing
            ? 'Part of this page could not be loaded'
            : 'Something went wrong'
      }
      withCloseButton={onDismiss !== undefined}
      closeButtonLabel="Dismiss"
      onClose={forgetAnd(onDismiss)}
    >
      <Text size="sm">
        {isOutdated
          ? `Reload to continue. ${
              canStore()
                ? 'What you have typed is kept, except secrets.'
                : 'What you have typed will be lost, because your browser blocks storage.'
            }`
          : isMissing
            ? 'The service may be unavailable. What you have typed is kept.'
            : error instanceof Error
              ? error.message
              : String(error)}
      </Text>
      <Group gap="xs" mt="sm">
        {!isOutdated && (
          <Button size="xs" onClick={forgetAnd(onRetry)}>
            Try again
          </Button>
        )}
        <Button size="xs" variant={isOutdated ? 'filled' : 'default'} onClick={reloadKeepingDrafts}>
          Reload
        </Button>
      </Group>
    </Alert>
  );
}

export class MissingPart extends Error {
  /** Makes the next render load the component again. */
  readonly forget: () => void;

  constructor(cause: unknown, forget: () => void) {
    super('Part of this page could not be loaded.', { cause });
    this.name = 'MissingPart';
    this.forget = forget;
  }
}

/**
 * Whether the server has a newer build; false if the page cannot be fetched. Each build gives the entry script another
 * name, which identifies the build of a page.
 */
async function hasNewVersion(): Promise<boolean> {
  const running = document.querySelector('script[type=module][src]')?.getAttribute('src');
  try {
    const response = await fetch(location.pathname, { headers: { Accept: 'text/html' }, cache: 'no-store' });
    return response.ok && running != null && !(await response.text()).includes(running);
  } catch {
    return false;
  }
}
