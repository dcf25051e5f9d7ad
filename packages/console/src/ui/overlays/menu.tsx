import { Menu as Base } from '@base-ui/react/menu';
import { type ReactElement, type ReactNode, useRef } from 'react';
import styles from './menu.module.css';

/** A button that opens a menu. `trigger` is the button, for example a `Button` or an `IconButton`. */
export function Menu({
  trigger,
  defaultOpen,
  disabled,
  onOpenChange,
  children,
}: {
  readonly trigger: ReactElement;
  /** True: the menu is open from the beginning. */
  readonly defaultOpen?: boolean;
  readonly disabled?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly children: ReactNode;
}) {
  return (
    <Base.Root defaultOpen={defaultOpen} onOpenChange={onOpenChange}>
      <Base.Trigger render={trigger} disabled={disabled} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} sideOffset={4} align="end">
          <Base.Popup className={styles.popup}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

interface MenuItemProps {
  readonly onSelect: () => void;
  readonly icon?: ReactNode;
  readonly disabled?: boolean;
  /** The menu stays open, for entries that are chosen several times in a row. */
  readonly keepsOpen?: boolean;
  readonly children: ReactNode;
}

export function MenuItem({ onSelect, icon, disabled = false, keepsOpen = false, children }: MenuItemProps) {
  return (
    <Base.Item className={styles.item} onClick={onSelect} disabled={disabled} closeOnClick={!keepsOpen}>
      {icon}
      {children}
    </Base.Item>
  );
}

/** Entries below a label. */
export function MenuGroup({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Base.Group>
      <Base.GroupLabel className={styles.label}>{label}</Base.GroupLabel>
      {children}
    </Base.Group>
  );
}

export function MenuSeparator() {
  return <Base.Separator className={styles.separator} />;
}

interface MenuChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: ReadonlyArray<{ readonly value: T; readonly label: string }>;
  readonly onChange: (value: T) => void;
}

/** A group of entries of which one is chosen. */
export function MenuChoice<T extends string>({ label, value, choices, onChange }: MenuChoiceProps<T>) {
  return (
    <Base.Group>
      <Base.GroupLabel className={styles.label}>{label}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={chosen => onChange(chosen as T)}>
        {choices.map(choice => (
          <Base.RadioItem key={choice.value} value={choice.value} className={styles.item}>
            <span className={styles.mark}>
              <Base.RadioItemIndicator>✓</Base.RadioItemIndicator>
            </span>
            {choice.label}
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  );
}

/** A menu that opens at an element, for example at a cell. The focus returns to this element. */
export function AnchoredMenu({
  anchor,
  label,
  onClose,
  children,
}: {
  /** Undefined: the menu is closed. */
  readonly anchor: HTMLElement | undefined;
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const returnsTo = useRef<HTMLElement>(undefined);
  if (anchor !== undefined) returnsTo.current = anchor;
  return (
    <Base.Root open={anchor !== undefined} onOpenChange={open => !open && onClose()} modal={false}>
      <Base.Portal>
        <Base.Positioner className={styles.positioner} anchor={anchor} sideOffset={2} align="start">
          <Base.Popup
            className={styles.popup}
            aria-label={label}
            finalFocus={() => (returnsTo.current?.isConnected ? returnsTo.current : true)}
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** An entry that is on or off. The menu stays open. */
export function MenuCheck({
  checked,
  onChange,
  children,
}: {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly children: ReactNode;
}) {
  return (
    <Base.CheckboxItem className={styles.item} checked={checked} onCheckedChange={onChange}>
      <span className={styles.mark}>
        <Base.CheckboxItemIndicator>✓</Base.CheckboxItemIndicator>
      </span>
      {children}
    </Base.CheckboxItem>
  );
}
