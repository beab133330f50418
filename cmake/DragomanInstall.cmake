# `cmake --install` gives the program, its recipes and models, one shared library with the public interface of
# include/dragoman, its headers, find_package(dragoman) and pkg-config. The library has the rooms that `search` needs;
# training, recipes and the server belong to the program alone.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY DRAGOMAN_ROOMS)
list(REMOVE_ITEM rooms comm phrasebook exchange train report run recipe serve cli)
add_library(dragoman SHARED)
set(symbols "${PROJECT_SOURCE_DIR}/cmake/dragoman.map")
set_target_properties(dragoman PROPERTIES LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
                                          SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                                          LINK_DEPENDS "${symbols}")
# The threads of the pool run until the process ends (base/threads.cc), so dlclose() must not unmap their code.
target_link_options(dragoman PRIVATE "LINKER:--version-script=${symbols}" "LINKER:-z,nodelete")
foreach(room IN LISTS rooms)
  target_sources(dragoman PRIVATE $<TARGET_OBJECTS:dragoman_${room}>)
  target_link_libraries(dragoman PRIVATE dragoman_${room})
endforeach()
target_include_directories(dragoman INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                              "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

install(TARGETS dragoman EXPORT dragoman LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS dragoman_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/dragoman" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/recipes" "${PROJECT_SOURCE_DIR}/models"
        DESTINATION ${CMAKE_INSTALL_DATADIR}/dragoman USE_SOURCE_PERMISSIONS PATTERN "__pycache__" EXCLUDE)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dragoman)
install(EXPORT dragoman NAMESPACE dragoman:: DESTINATION ${package_dir} FILE dragomanTargets.cmake)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/dragomanConfig.cmake.in" dragomanConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(dragomanConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/dragomanConfig.cmake" "${PROJECT_BINARY_DIR}/dragomanConfigVersion.cmake"
        DESTINATION ${package_dir})

# For programs that are built without CMake. The folder may be moved as a whole.
file(RELATIVE_PATH prefix_from_pkgconfig "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/dragoman.pc.in" dragoman.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/dragoman.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dragoman)
set(CPACK_PACKAGE_CONTACT "dragoman maintainers")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS libopenblas0)  # loaded at run time
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libcurl4)  # loaded at run time
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}")
include(CPack)
