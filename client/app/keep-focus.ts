/** How many previously focused elements are remembered. */
const REMEMBERED = 30;

/**
 * Restores focus when the focused element is removed (a closed dialog, a row that was opened, a redrawn heading) and
 * focus would fall to the body. It goes to the most recently focused element of this page that is still there (for a
 * menu item, the menu's button), else to the page's heading. A button disabled while it works gets focus back once it
 * is enabled; until then focus stays in the surrounding dialog. Focus that the user gave up, by clicking on the page,
 * is not restored.
 * @returns a function that stops it
 */
export function keepFocus(): () => void {
  let path = location.pathname;
  let trail: HTMLElement[] = [];
  let holder: HTMLElement | undefined;
  /** The disabled element, and the one that holds focus in its stead. */
  let closed: { place: HTMLElement; instead: HTMLElement | undefined } | undefined;

  const onFocus = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement)) return;
    holder = target;
    if (location.pathname !== path) trail = [];
    path = location.pathname;
    trail = [...trail.filter((place) => place !== target), target].slice(-REMEMBERED);
  };
  const onBlur = ({ target, relatedTarget }: FocusEvent): void => {
    // Some browsers also fire this for a removal, before it happens.
    if (relatedTarget === null) queueMicrotask(() => (target as HTMLElement).isConnected && release(target));
  };
  const release = (from: EventTarget | null): void => {
    if (holder === from && document.hasFocus() && !isDisabled(holder)) holder = undefined;
  };
  const giveBack = (): void => {
    if (closed === undefined || (closed.place.isConnected && isDisabled(closed.place))) return;
    const { place, instead } = closed;
    closed = undefined;
    const { activeElement } = document;
    if (activeElement === document.body || activeElement === instead) place.focus({ preventScroll: true });
  };
  /** Once the user has moved on, focus is not taken back. */
  const onInput = (): void => {
    closed = undefined;
  };
  const onChange = (): void => {
    giveBack();
    if (holder === undefined || document.activeElement !== document.body) return;
    const modal = openModal();
    const inReach = (place: HTMLElement): boolean => canTakeFocus(place) && (modal?.contains(place) ?? true);
    const before = location.pathname === path ? trail.toReversed().map(standIn).find(inReach) : undefined;
    const instead = before ?? modal ?? document.querySelector<HTMLElement>('[data-page-heading]') ?? undefined;
    if (holder.isConnected && isDisabled(holder)) closed = { place: holder, instead };
    instead?.focus({ preventScroll: true });
  };

  const observer = new MutationObserver(onChange);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  addEventListener('focusin', onFocus);
  addEventListener('focusout', onBlur);
  addEventListener('keydown', onInput, true);
  addEventListener('pointerdown', onInput, true);
  return () => {
    observer.disconnect();
    removeEventListener('focusin', onFocus);
    removeEventListener('focusout', onBlur);
    removeEventListener('keydown', onInput, true);
    removeEventListener('pointerdown', onInput, true);
  };
}

/** A menu item is removed with its menu, whose button stays. */
function standIn(place: HTMLElement): HTMLElement {
  const button = place.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return (button && document.getElementById(button)) || place;
}

const openModal = (): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>('[aria-modal=true], dialog[open]')].findLast((modal) =>
    modal.checkVisibility({ visibilityProperty: true }),
  );

const isDisabled = (element: HTMLElement | undefined): boolean => element?.matches(':disabled') ?? false;

const canTakeFocus = (place: HTMLElement): boolean =>
  place.isConnected && !isDisabled(place) && place.checkVisibility({ visibilityProperty: true });
