# Sourced by the other scripts. apt_install PACKAGE…: installs the first of the packages that can be installed, saying so,
# where that takes no questions (apt-get, and root or sudo without a password); fails silently otherwise.
apt_install() {
    local as_root=() package
    if [ "$(id -u)" -ne 0 ]; then
        as_root=(sudo -n)
        sudo -n true 2>/dev/null || return 1
    fi
    command -v apt-get >/dev/null || return 1
    echo "Installing $1 with apt-get …"
    "${as_root[@]}" apt-get -qq update >/dev/null 2>&1 || true
    for package in "$@"; do
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get -qq install -y --no-install-recommends "$package" >/dev/null 2>&1 && return 0
    done
    return 1
}
