import { ActionIcon, Button, type ButtonProps, VisuallyHidden } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { type ComponentProps, useId } from 'react';

type GuardedButtonProps = ButtonProps &
  Omit<ComponentProps<'button'>, keyof ButtonProps> & { reason?: string | undefined };

/** A small secondary button, in a row or below a text. @param props.reason as of `GuardedButton` */
export const SmallButton = (props: GuardedButtonProps) => <GuardedButton size="xs" variant="default" {...props} />;

/**
 * A small grey button with an icon.
 * @param props.label for screen readers; also the tooltip, unless `title` differs
 * @param props.idle it does nothing but, unlike a disabled button, keeps its focus
 */
export function IconButton(props: ComponentProps<typeof ActionIcon<'button'>> & { label: string; idle?: boolean }) {
  const { label, idle, onClick, ...button } = props;
  const state = idle ? { 'data-disabled': true, 'aria-disabled': true } : { onClick };
  return <ActionIcon size="xs" variant="subtle" color="gray" aria-label={label} title={label} {...button} {...state} />;
}

/**
 * A button that may be unavailable. With a `reason`, it does nothing but stays focusable, and gives the reason in a
 * tooltip and to screen readers.
 */
export function GuardedButton({ reason, onClick, ...button }: GuardedButtonProps) {
  const id = useId();
  if (reason === undefined) return <Button {...button} onClick={onClick} />;
  return (
    <>
      <Button
        {...button}
        type="button"
        data-disabled
        aria-disabled
        aria-describedby={id}
        title={reason}
        onClick={(event) => event.preventDefault()}
      />
      <VisuallyHidden id={id}>{reason}</VisuallyHidden>
    </>
  );
}

/**
 * A link that looks like a button, and is never marked as the current page. With a `reason`, it is a button that is
 * unavailable.
 */
export const LinkButton = createLink(
  ({ 'aria-current': _, reason, ...props }: ButtonProps & ComponentProps<'a'> & { reason?: string | undefined }) =>
    reason === undefined ? (
      <Button component="a" {...props} />
    ) : (
      <GuardedButton reason={reason} leftSection={props.leftSection}>
        {props.children}
      </GuardedButton>
    ),
);
